//! The limits of a run, set by the plan or host.

/// Run limits.
///
/// # Units
/// Counts; milliseconds; US dollars; bytes of the results of calls as JSON text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Visits per node and scope.
    pub visits: u32,
    /// Executed nodes.
    pub steps: Option<u32>,
    /// Calls to tools, models and handlers, including retries.
    pub calls: Option<u32>,
    /// Run timeout.
    pub timeout_ms: Option<f64>,
    /// Input and output tokens of all models.
    pub tokens: Option<f64>,
    /// Cost of all models, in US dollars.
    pub usd: Option<f64>,
    /// US dollars per million input tokens of an unreported call. Host only.
    pub input_price: Option<f64>,
    /// The same for output tokens. Host only.
    pub output_price: Option<f64>,
    /// Output tokens if the request sets no maximum. Host only.
    pub max_output: Option<f64>,
    /// Results of all calls.
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
