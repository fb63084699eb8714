//! The limits of a run, as a plan or a host sets them.

/// The limits of a run.
///
/// # Units
/// Counts; milliseconds; US dollars; bytes of the results of calls as JSON text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Visits of one node, in one scope.
    pub visits: u32,
    /// Executed nodes in total.
    pub steps: Option<u32>,
    /// Calls to tools, models and handlers in total, including retries.
    pub calls: Option<u32>,
    /// The timeout of the run.
    pub timeout_ms: Option<f64>,
    /// Tokens of all models in total, input and output.
    pub tokens: Option<f64>,
    /// What all models may cost in total, in US dollars.
    pub usd: Option<f64>,
    /// What a call that ends without a report may cost, in US dollars for a million input tokens. Only hosts set it.
    pub input_price: Option<f64>,
    /// The same for output tokens. Only hosts set it.
    pub output_price: Option<f64>,
    /// The most output tokens of a call whose request sets no maximum. Only hosts set it.
    pub max_output: Option<f64>,
    /// The size of all results in total.
    pub output_bytes: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            visits: 25,
            steps: None,
            calls: None,
            timeout_ms: None,
            tokens: None,
            usd: None,
            input_price: None,
            output_price: None,
            max_output: None,
            output_bytes: None,
        }
    }
}
