/** The address leads where addresses that users give may not lead. Nothing was sent. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** The other side did not answer as it should. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed';
}
