/** The bucket did not do what it was asked. The message is for the operator: it names the bucket, never a secret. */
export class S3Failed extends Error {
  override readonly name: string = 'S3Failed';
  /** As the server said it (`AccessDenied`), or as the network did (`ECONNREFUSED`). */
  readonly reason: string;

  constructor(message: string, reason: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** There is no such object. */
export class S3Absent extends S3Failed {
  override readonly name = 'S3Absent';
}
