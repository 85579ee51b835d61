//! Times of a calendar, seconds and time limits as accounting tables write them.

/// Seconds up to which sums of three of them cannot overflow, as in SWF traces.
pub const LONGEST: i64 = 1_000_000_000_000_000;

/// The texts that [`parse_instant`] reads, for messages.
pub const INSTANT: &str = "a time such as 2026-11-22T12:20:19, seconds since 1970, or Unknown";
/// The texts that [`parse_time_limit`] reads, for messages.
pub const LIMIT: &str = "a time such as 1-02:04:00, UNLIMITED or nothing";

/// Words that stand for an unknown or unlimited time.
const UNKNOWN: [&str; 12] = [
    "",
    "Unknown",
    "None",
    "NONE",
    "N/A",
    "NaN",
    "nan",
    "NaT",
    "null",
    "UNLIMITED",
    "Partition_Limit",
    "infinite",
];

fn is_unknown(text: &str) -> bool {
    UNKNOWN.contains(&text) || text.eq_ignore_ascii_case("INVALID")
}

/// Parses a time: seconds since 1970 (a fraction is cut off) or a date with a time of day, with or without a zone.
/// Without one it is taken as it stands. `Some(None)` if it is unknown, `None` if it is no time.
pub fn parse_instant(text: &str) -> Option<Option<i64>> {
    let text = text.trim();
    if is_unknown(text) {
        return Some(None);
    }
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return parse_seconds(text).map(Some);
    }
    parse_calendar(text).map(Some)
}

/// Parses decimal seconds, a fraction cut off.
fn parse_seconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let number = whole.parse().ok().filter(|n| (0..LONGEST).contains(n));
    number.filter(|_| digits(whole) && digits(fraction))
}

/// Parses `YYYY-MM-DD`, `T` or a blank, `HH:MM[:SS[.fraction]]`, and a zone `Z` or `±HH[:MM]`.
pub fn parse_calendar(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let pair = |at: usize| -> Option<i64> {
        match bytes.get(at..at + 2)? {
            [a @ b'0'..=b'9', b @ b'0'..=b'9'] => {
                Some(i64::from(a - b'0') * 10 + i64::from(b - b'0'))
            }
            _ => None,
        }
    };
    let is = |at: usize, wanted: &[u8]| bytes.get(at).is_some_and(|b| wanted.contains(b));
    let year = pair(0)? * 100 + pair(2)?;
    let month = pair(5)?;
    let day = pair(8)?;
    let hour = pair(11)?;
    let minute = pair(14)?;
    if !(is(4, b"-") && is(7, b"-") && is(10, b"T ") && is(13, b":")) {
        return None;
    }
    let mut at = 16;
    let mut second = 0;
    if is(at, b":") {
        second = pair(at + 1)?;
        at += 3;
        if is(at, b".") {
            let digits = bytes[at + 1..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
            at += 1 + digits;
        }
    }
    let offset = match bytes.get(at..)? {
        [] | [b'Z'] => 0,
        [sign @ (b'+' | b'-'), zone @ ..] => {
            let minutes = match zone.len() {
                2 => 0,
                4 => pair(at + 3)?,
                5 if zone[2] == b':' => pair(at + 4)?,
                _ => return None,
            };
            let ahead = pair(at + 1)? * 3600 + minutes * 60;
            if *sign == b'+' { ahead } else { -ahead }
        }
        _ => return None,
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let good = (1..=12).contains(&month) && (1..=length).contains(&day);
    // Second 60 is a leap second.
    let good = good && hour < 24 && minute < 60 && second <= 60 && year >= 1970;
    good.then(|| {
        days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    })
}

/// Counts the days from the first of 1970 to a date of the Gregorian calendar.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day is the last.
    let year = year - i64::from(month <= 2);
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + in_year - 719_468
}

/// Checks whether a clock without a zone may have stepped between two times: whether they have on both sides the hour
/// from 2 to 3 of a night in which summer time begins or ends. These nights are before the last Sundays of March and
/// October in Europe (directive 2000/84/EC), before the second Sunday of March and the first of November in North
/// America (Energy Policy Act of 2005, section 110).
pub fn may_clock_step(start: i64, end: i64) -> bool {
    const HOUR: i64 = 3600;
    let sunday_from = |day: i64| day + (10 - day % 7) % 7;
    let year = 1970 + start / (365 * 86_400 + 20_952);
    // A run of a year has such a night in it.
    end - start > 366 * 86_400
        || (year - 1..=year + 1).any(|year| {
            let months = [(3, 25), (10, 25), (3, 8), (11, 1)];
            months.iter().any(|(month, day)| {
                let night = sunday_from(days_since_1970(year, *month, *day)) * 86_400;
                start < night + 3 * HOUR && end > night + HOUR
            })
        })
}

/// Parses a time limit or run time in seconds: `D-HH[:MM[:SS]]`, `HH:MM:SS`, `MM:SS`, or a number of `unit` seconds.
/// `Some(None)` if there is none, `None` if it is nothing of that.
pub fn parse_time_limit(text: &str, unit: i64) -> Option<Option<i64>> {
    let text = text.trim();
    if is_unknown(text) {
        return Some(None);
    }
    let part = |text: &str| -> Option<i64> {
        let digits =
            // Ten digits of days are seconds that 64 bits hold with ease.
            !text.is_empty() && text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    };
    if let Some((days, rest)) = text.split_once('-') {
        let mut all = part(days)? * 86_400;
        let mut worth = 3600;
        let mut pieces = rest.splitn(3, ':');
        pieces.try_for_each(|piece| {
            all += part(piece.split('.').next()?)? * worth;
            worth /= 60;
            Some(())
        })?;
        return Some(Some(all));
    }
    let pieces: Vec<&str> = text.split(':').collect();
    match pieces.as_slice() {
        [whole] => Some(Some(
            parse_seconds(whole)?
                .checked_mul(unit)
                .filter(|n| *n <= LONGEST)?,
        )),
        // Two parts are minutes and seconds in the grammar of Slurm, not hours and minutes.
        [m, s] => Some(Some(part(m)? * 60 + part(s.split('.').next()?)?)),
        [h, m, s] => Some(Some(
            part(h)? * 3600 + part(m)? * 60 + part(s.split('.').next()?)?,
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_form_are_read() {
        let is = |text: &str, seconds: i64| {
            assert_eq!(parse_instant(text), Some(Some(seconds)), "{text}")
        };
        is("1970-01-01T00:00:00", 0);
        is("2000-02-29T00:00:00", 951_782_400);
        is("2026-11-22T12:20:19", 1_795_350_019);
        is("2026-11-22 12:20:19.731", 1_795_350_019);
        is("2026-11-22T12:20:19Z", 1_795_350_019);
        is("2026-11-22 12:20:19+00:00", 1_795_350_019);
        is("2026-11-22T13:50:19+0130", 1_795_350_019);
        is("2026-11-22T07:20:19-05", 1_795_350_019);
        is("2026-11-22T12:20", 1_795_350_000);
        is("1795350019", 1_795_350_019);
        is("1795350019.9", 1_795_350_019);
        for unknown in ["", "Unknown", "None", "NaT", " "] {
            assert_eq!(parse_instant(unknown), Some(None), "{unknown}");
        }
        for bad in [
            "yesterday",
            "2026-11-22",
            "2026-13-01T00:00:00",
            "2026-02-29T00:00:00",
            "2026-11-22T24:00:00",
            "2026-11-22T12:60:00",
            "2026-11-22T12:20:19 CET",
            "1.2.3",
            "-5",
            "99999999999999999999",
        ] {
            assert_eq!(parse_instant(bad), None, "{bad}");
        }
    }

    /// Every day for four hundred years, counted one by one.
    #[test]
    fn days_follow_each_other() {
        let mut count = 0;
        for year in 1970..2370 {
            for month in 1..=12 {
                for day in 1..=31 {
                    if let Some(seconds) =
                        parse_calendar(&format!("{year}-{month:02}-{day:02}T00:00"))
                    {
                        assert_eq!(seconds, count * 86_400, "{year}-{month}-{day}");
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(count, 400 * 365 + 97);
    }

    /// Nights of 2023 to 2026 in which clocks were set, by the calendars of these years.
    #[test]
    fn clocks_step_in_four_nights_a_year() {
        for night in [
            "2023-03-12",
            "2023-03-26",
            "2023-10-29",
            "2023-11-05",
            "2024-03-10",
            "2024-03-31",
            "2024-10-27",
            "2024-11-03",
            "2025-03-09",
            "2025-03-30",
            "2025-10-26",
            "2025-11-02",
            "2026-03-08",
            "2026-03-29",
        ] {
            let at = |time: &str| parse_calendar(&format!("{night}T{time}")).unwrap();
            assert!(may_clock_step(at("00:30"), at("03:30")), "{night}");
            assert!(may_clock_step(at("01:50"), at("02:10")), "{night}");
            // Set back: the run ends before it starts.
            assert!(may_clock_step(at("02:50"), at("02:10")), "{night}");
            assert!(!may_clock_step(at("03:10"), at("23:00")), "{night}");
            assert!(
                !may_clock_step(at("00:10") - 86_400, at("00:50")),
                "{night}"
            );
        }
        let year = 1_704_067_200;
        let days = (0..366)
            .filter(|day| may_clock_step(year + day * 86_400, year + day * 86_400 + 86_399));
        assert_eq!(days.count(), 4);
        assert!(may_clock_step(year, year + 400 * 86_400));
    }

    #[test]
    fn limits_of_every_form_are_read() {
        let is = |text: &str, seconds: i64| {
            assert_eq!(parse_time_limit(text, 60), Some(Some(seconds)), "{text}")
        };
        is("1-02:04:00", 93_840);
        is("2-00", 172_800);
        is("00:05:00", 300);
        is("123:00:00", 442_800);
        is("05:30", 330);
        is("00:30.250", 30);
        is("90", 5400);
        assert_eq!(parse_time_limit("90", 1), Some(Some(90)));
        for none in ["UNLIMITED", "Partition_Limit", "", "INVALID"] {
            assert_eq!(parse_time_limit(none, 60), Some(None), "{none}");
        }
        for bad in ["1-", "-5", "1:2:3:4", "soon", "1-x:00:00", "1e3", ":"] {
            assert_eq!(parse_time_limit(bad, 60), None, "{bad}");
        }
    }
}
