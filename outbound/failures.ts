/** The address leads where addresses that users give may not lead. Nothing was sent. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** The other side did not answer as it should. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed';
}

/** Why the other side could not be asked, in a sentence. All other errors are thrown on. */
export function outboundFault(error: unknown): string {
  if (error instanceof OutboundFailed || error instanceof OutboundRefused) return error.message;
  throw error;
}
