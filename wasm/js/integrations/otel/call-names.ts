/** Names of calls. */

/** Name of a call: scope path, node, visit and attempt. An agent's own suffix may follow. */
export const CALL_NAME = /^(?:(.*)\/)?([^/]*):(\d+):(\d+)(?:\/(?!.*:\d+:\d+).*)?$/;
