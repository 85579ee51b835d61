//! Errors of the library and of files as Python exceptions.

use std::any::Any;

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

pyo3::create_exception!(
    nodeorder,
    NodeorderError,
    PyValueError,
    "What nodeorder refuses: the message says where, what was found and what was expected, as the command's does."
);

/// Reason why a call has no result.
pub enum Failure {
    /// The library refused it.
    Library(nodeorder_base::error::Error),
    /// Any other reason, as a message.
    Text(String),
}

impl From<nodeorder_base::error::Error> for Failure {
    fn from(error: nodeorder_base::error::Error) -> Self {
        Failure::Library(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::Text(error.to_string())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Library(error) => NodeorderError::new_err(error.to_string()),
            Failure::Text(text) => NodeorderError::new_err(text),
        }
    }
}

/// Makes the exception for a panic, a fault of nodeorder itself: raised in Python, so that the interpreter goes on.
pub fn of_panic(payload: &(dyn Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    NodeorderError::new_err(format!("internal error, please report it: {text}"))
}
