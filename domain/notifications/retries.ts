/** Attempts of one message; with the waits between them it takes some seventeen hours until it is given up. */
export const mostAttempts = 24;
/** For one attempt: name, connection and answer. */
export const attemptSeconds = 10;

const firstWaitSeconds = 30;
const longestWaitSeconds = 3_600;

/** The wait after so many attempts that failed: doubling, or as long as the other side asked for, and never above an hour. */
export function waitAfter(attempts: number, retryAfterSeconds = 0): number {
  const own = firstWaitSeconds * 2 ** Math.min(attempts - 1, 20);
  return Math.min(Math.max(own, retryAfterSeconds), longestWaitSeconds);
}

/** The channel's `lastError` while a message is retried. */
export function retryingSentence(error: string, attempts: number, waitSeconds: number): string {
  return `${error} Attempt ${attempts} of ${mostAttempts}; the next is in ${lengthOf(waitSeconds)}.`;
}

/** And once it is not. */
export function gaveUpSentence(error: string, attempts: number): string {
  return `${error} Gave up after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}.`;
}

/** And while so many wait that more are left out. */
export function fullSentence(most: number): string {
  return `${most.toLocaleString('en')} messages wait for this channel; newer ones are left out until some have been sent.`;
}

function lengthOf(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  return '1 hour';
}
