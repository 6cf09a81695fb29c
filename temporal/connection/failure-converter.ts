import { DefaultFailureConverter } from '@temporalio/common';

/** Messages and stack traces of failures go through the codec too, or they would lie open in every history. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
