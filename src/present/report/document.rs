//! A page of sections, `templates/document.html`: what audits and machines side by side have in common.

use askama::Template;

use super::file::File;
use super::html::{Fact, Figure, Section, Words};
use super::page::{CSS, TABLES};
use super::terms::Term;
use crate::plot;

#[derive(Default, Template)]
#[template(path = "document.html")]
pub(super) struct Document<'p> {
    pub version: &'static str,
    pub css: String,
    pub js: &'static str,
    pub files: Vec<(&'p str, &'static str)>,
    pub command: &'p str,
    pub title: String,
    pub verdict: Words,
    pub details: Words,
    pub sections: Vec<Section>,
    /// The id and the title of the list of facts.
    pub about: (&'static str, &'static str),
    pub facts: Vec<Fact>,
    /// Sentence beside the command about how exact the figures are.
    pub exact: &'static str,
    pub terms: Vec<Term>,
}

impl<'p> Document<'p> {
    /// A page beside `files` that `command` makes again.
    pub fn new(files: &'p [File<'_>], command: &'p str) -> Self {
        let files = files.iter().filter_map(File::listed).collect();
        let (version, css) = (env!("CARGO_PKG_VERSION"), [CSS, plot::STYLE].concat());
        Document {
            version,
            css,
            js: TABLES,
            files,
            command,
            ..Document::default()
        }
    }

    /// The page as HTML text, and its figures.
    pub fn html(self) -> (String, Vec<Figure>) {
        let text = self.to_string();
        (
            text,
            self.sections
                .into_iter()
                .flat_map(|section| section.figures)
                .collect(),
        )
    }
}
