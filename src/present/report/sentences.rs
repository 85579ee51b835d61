//! Sentences of pages: texts in which names stand out, and the phrases that several of them use.
//!
//! ```text
//! sentence("With ").bold("fifo:0").text(", jobs wait.")
//! page       With <b>fifo:0</b>, jobs wait.
//! terminal   With fifo:0, jobs wait.
//! ```

use std::fmt;

use askama::filters::{Html, HtmlSafe, escape};

use crate::plot::format_fixed;

/// A text as HTML, in which names stand out, and as plain text. All text that is added is escaped.
#[derive(Clone, Debug, Default)]
pub struct RichText {
    html: String,
    plain: String,
}

impl RichText {
    /// Adds plain text.
    pub fn text(self, text: impl AsRef<str>) -> Self {
        self.marked("", text.as_ref(), "")
    }

    /// Adds a name that stands out.
    pub fn bold(self, name: &str) -> Self {
        self.marked("<b>", name, "</b>")
    }

    /// Adds the name that a sentence is about.
    pub fn strong(self, name: &str) -> Self {
        self.marked("<strong>", name, "</strong>")
    }

    /// Adds a text that users type.
    pub fn code(self, text: &str) -> Self {
        self.marked("<code>", text, "</code>")
    }

    /// Adds `text` with a link to a file beside the page.
    pub fn link(self, file: &str, text: &str) -> Self {
        let Ok(target) = escape(file, Html);
        self.marked(&format!("<a href=\"{target}\">"), text, "</a>")
    }

    /// Adds a short form of a name, which is told whole where a pointer rests on it.
    pub fn abbreviation(self, short: &str, whole: &str) -> Self {
        let Ok(title) = escape(whole, Html);
        self.marked(&format!("<abbr title=\"{title}\">"), short, "</abbr>")
    }

    /// Adds another rich text.
    pub fn rich(mut self, other: &RichText) -> Self {
        self.html += &other.html;
        self.plain += &other.plain;
        self
    }

    /// Adds escaped text between two tags.
    fn marked(mut self, begin: &str, text: &str, end: &str) -> Self {
        let Ok(escaped) = escape(text, Html);
        // A line must not end between a number and its sign.
        let escaped = escaped.to_string().replace(" %", "\u{a0}%");
        self.html += &format!("{begin}{escaped}{end}");
        self.plain += text;
        self
    }

    /// Joins texts with `between` between them.
    pub fn join(items: impl IntoIterator<Item = RichText>, between: &str) -> RichText {
        let mut items = items.into_iter();
        let first = items.next().unwrap_or_default();
        items.fold(first, |all, item| all.text(between).rich(&item))
    }

    /// Checks whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// Makes the text without marks, for terminals, which may lack the typographic characters of pages.
    pub fn plain(&self) -> String {
        let text = self.plain.trim_end();
        text.replace('−', "-").replace('’', "'")
    }
}

/// Begins a text with what needs no marks.
pub fn sentence(text: impl AsRef<str>) -> RichText {
    RichText::default().text(text)
}

impl<T: AsRef<str>> From<T> for RichText {
    fn from(text: T) -> Self {
        sentence(text)
    }
}

impl fmt::Display for RichText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.html)
    }
}

impl HtmlSafe for RichText {}

/// Cuts the folders off the path of a workload's file.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Formats a range: its first and its last number, once if they are the same.
pub fn range_text<N: fmt::Display + PartialEq>(from: N, to: N) -> String {
    if from == to {
        from.to_string()
    } else {
        format!("{from}–{to}")
    }
}

/// Formats a share: `12.3 %`.
pub fn per_cent(value: f64) -> String {
    format!("{} %", format_fixed(value, 1))
}

/// Formats a distance: `4.12 hops`.
pub fn hops_text(value: f64, decimals: usize) -> String {
    let text = format_fixed(value, decimals);
    // What is read decides: 0.996 with two decimals is `1.00 hop`.
    let unit = if text.parse() == Ok(1.0) {
        "hop"
    } else {
        "hops"
    };
    format!("{text} {unit}")
}

/// Computes by how many per cent `value` is above `best`; 0 if that is 0.
pub fn per_cent_above(value: f64, best: f64) -> f64 {
    if best > 0.0 {
        100.0 * (value / best - 1.0)
    } else {
        0.0
    }
}

/// Computes by how many per cent `best` is below `value`; 0 if that is 0.
pub fn per_cent_below(best: f64, value: f64) -> f64 {
    if value > 0.0 {
        100.0 * (1.0 - best / value)
    } else {
        0.0
    }
}

/// Says how far `best` is below `other`, as the words before a name: `25.0 % below `.
pub fn lead_phrase(best: f64, other: f64) -> String {
    match per_cent_below(best, other) {
        0.0 => "the same as ".into(),
        // `0.0 % below` would deny a lead that there is.
        below if below < 0.05 => "less than 0.05 % below ".into(),
        below => format!("{} below ", per_cent(below)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_told_with_care() {
        assert_eq!(lead_phrase(1.0, 1.0), "the same as ");
        assert_eq!(lead_phrase(1.0, 1.0001), "less than 0.05 % below ");
        assert_eq!(lead_phrase(3.0, 4.0), "25.0 % below ");
        assert_eq!(lead_phrase(0.0, 0.0), "the same as ");
    }

    #[test]
    fn one_hop_is_singular() {
        assert_eq!(
            [hops_text(1.0, 2), hops_text(1.5, 2)],
            ["1.00 hop", "1.50 hops"]
        );
    }

    #[test]
    fn pages_escape_what_terminals_show() {
        let text = sentence("a < 5 %: ").bold("<x>").link("a\"b.csv", "'it'");
        assert_eq!(
            text.to_string(),
            "a &#60; 5\u{a0}%: <b>&#60;x&#62;</b><a href=\"a&#34;b.csv\">&#39;it&#39;</a>"
        );
        assert_eq!(text.plain(), "a < 5 %: <x>'it'");
    }
}
