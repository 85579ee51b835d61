//! A page of sections, `templates/document.html`: audits, snapshots and machines side by side are such pages.

use askama::Template;

use super::file::File;
use super::html::{Fact, Figure, Section};
use super::page::{CSS, TABLES};
use super::sentences::RichText;
use super::terms::Term;
use crate::plot;

/// A page of sections, facts and terms, beside its files.
#[derive(Default, Template)]
#[template(path = "document.html")]
pub struct Document<'p> {
    pub version: &'static str,
    pub css: String,
    pub js: &'static str,
    /// Names of the files beside the page, and what is in them.
    pub files: Vec<(&'p str, &'static str)>,
    /// Command line that makes the page again.
    pub command: &'p str,
    pub title: String,
    pub verdict: RichText,
    /// Paragraph below the verdict.
    pub details: RichText,
    pub sections: Vec<Section>,
    /// Anchor and title of the list of facts.
    pub about: (&'static str, &'static str),
    pub facts: Vec<Fact>,
    /// Sentence beside the command about how exact the figures are.
    pub exact: &'static str,
    pub terms: Vec<Term>,
}

impl<'p> Document<'p> {
    /// Makes a page beside `files`, without content.
    pub fn new(files: &'p [File<'_>], command: &'p str) -> Self {
        Document {
            version: env!("CARGO_PKG_VERSION"),
            css: [CSS, plot::STYLE].concat(),
            js: TABLES,
            files: files.iter().filter_map(File::list_entry).collect(),
            command,
            ..Document::default()
        }
    }

    /// Renders the page as HTML text; returns its figures as well.
    pub fn html(self) -> (String, Vec<Figure>) {
        // Rendered before the sections are taken apart for their figures.
        let text = self.to_string();
        let sections = self.sections.into_iter();
        (text, sections.flat_map(|section| section.figures).collect())
    }
}
