/** The address leads where addresses that users give may not lead. Nothing was sent. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** The other side did not answer as it should. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed';
}

/** Why the other side could not be asked, or did not answer as it should; empty if it did. */
export async function failureOf(ask: () => Promise<unknown>): Promise<string> {
  try {
    await ask();
    return '';
  } catch (error) {
    if (error instanceof OutboundFailed || error instanceof OutboundRefused) return error.message;
    throw error;
  }
}
