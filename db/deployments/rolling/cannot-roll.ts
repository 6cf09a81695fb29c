/** A release that cannot be put on a cluster, and why. */
export class CannotRoll extends Error {
  override readonly name = 'CannotRoll';
  readonly blocker: 'configuration' | 'release-command';

  constructor(message: string, blocker: CannotRoll['blocker'] = 'configuration') {
    super(message);
    this.blocker = blocker;
  }
}
