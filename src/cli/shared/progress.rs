//! Progress on standard error: bars on a terminal, elsewhere a line every ten seconds; nothing with `--quiet`.

use std::io::{IsTerminal, Write};
use std::ops::Deref;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::notes;

/// How often a line is printed where nobody sees a bar.
const EVERY: Duration = Duration::from_secs(10);

/// Shows a bar for `steps` steps of `what`.
pub fn show_steps(steps: u64, what: &str) -> Bar {
    show_bar(
        Some(steps),
        what,
        "{prefix} [{bar:30}] {pos}/{len} {msg} (remaining {eta})",
        format_steps,
    )
}

/// Shows a bar for the bytes of a file; only a count where the total is unknown.
pub fn show_bytes(all: Option<u64>, what: &str) -> Bar {
    let template = match all {
        Some(_) => "{prefix} [{bar:30}] {percent} % (remaining {eta})",
        None => "{prefix} {bytes} read ({elapsed})",
    };
    show_bar(all, what, template, |bar: &ProgressBar| {
        match bar.length() {
            Some(all) => format!("{:.0} %", 100.0 * bar.position() as f64 / all.max(1) as f64),
            None => format!("{} read", HumanBytes(bar.position())),
        }
    })
}

/// Shows a spinner with the elapsed time, for work whose steps are not counted.
pub fn show_spinner(what: &str) -> Bar {
    show_bar(None, what, "{spinner} {prefix} ({elapsed}) {msg}", |bar| {
        bar.message()
    })
}

/// Makes a bar like that of [`show_spinner`], but shows nothing on a terminal.
pub fn count_unseen(what: &str) -> Bar {
    // There the search prints lines of its own, which a spinner would overwrite.
    if std::io::stderr().is_terminal() {
        Bar {
            bar: ProgressBar::hidden(),
            _lines: None,
        }
    } else {
        show_spinner(what)
    }
}

/// Formats a bar's steps as `3/7 hilbert`.
fn format_steps(bar: &ProgressBar) -> String {
    let steps = bar.length().map_or(String::new(), |all| format!("/{all}"));
    format!("{}{steps} {}", bar.position(), bar.message())
}

/// Progress being shown; removed when dropped.
pub struct Bar {
    bar: ProgressBar,
    /// Dropped with the bar; the thread that prints lines then ends.
    _lines: Option<Sender<()>>,
}

impl Deref for Bar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        // Also on errors: the message begins on a line of its own.
        self.bar.finish_and_clear();
    }
}

/// Makes the text of a progress line from a bar.
type LineText = fn(&ProgressBar) -> String;

fn show_bar(steps: Option<u64>, what: &str, template: &str, line: LineText) -> Bar {
    // A hidden bar rather than none: callers count steps without asking.
    if notes::is_silent() {
        return Bar {
            bar: ProgressBar::hidden(),
            _lines: None,
        };
    }
    let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(what.to_string());
    if std::io::stderr().is_terminal() {
        // Steps may take minutes: the bar moves meanwhile, as a sign that the program is alive.
        bar.enable_steady_tick(Duration::from_millis(200));
        return Bar { bar, _lines: None };
    }
    let lines = print_lines_until_done(&bar, EVERY, line, std::io::stderr());
    Bar {
        bar,
        _lines: Some(lines),
    }
}

/// Writes a line about `bar` after each interval `every`, until the bar is finished or the returned sender is dropped.
fn print_lines_until_done(
    bar: &ProgressBar,
    every: Duration,
    line: LineText,
    mut out: impl Write + Send + 'static,
) -> Sender<()> {
    let (end, ended) = channel();
    let bar = bar.clone();
    std::thread::spawn(move || {
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(every)
            && !bar.is_finished()
        {
            let what = bar.prefix();
            let seconds = bar.elapsed().as_secs();
            let said = match line(&bar).trim() {
                "" => String::new(),
                text => format!(" {text},"),
            };
            // One write a line, so that lines of several processes in one log do not mix. Nobody may be reading: work
            // goes on.
            let _ = out.write_all(format!("{what}:{said} {seconds} s\n").as_bytes());
        }
    });
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lines(Sender<String>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.0
                .send(text)
                .map_err(|_| std::io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Waits for lines, not for times.
    #[test]
    fn lines_follow_the_bar_until_it_ends() {
        let bar = ProgressBar::hidden();
        bar.set_length(7);
        bar.set_prefix("MPC");
        bar.set_position(3);
        bar.set_message("hilbert");
        let (sender, seen) = channel();
        let end =
            print_lines_until_done(&bar, Duration::from_millis(1), format_steps, Lines(sender));
        let first = seen.recv().unwrap();
        assert!(
            first.starts_with("MPC: 3/7 hilbert, ") && first.ends_with(" s\n"),
            "{first}"
        );
        bar.set_position(4);
        assert!(seen.iter().any(|line| line.starts_with("MPC: 4/7")));
        drop(end);
        // The thread ends, and with it the channel.
        assert!(seen.iter().all(|line| line.starts_with("MPC: 4/7")));
    }
}
