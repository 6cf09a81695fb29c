/** The whole name of a commit: of SHA-1, or of SHA-256. */
export const commitPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
