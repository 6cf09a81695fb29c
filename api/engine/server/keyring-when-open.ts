import { type Keyring, openKeyring } from '../../../db/keys/keys.ts';
import type { Database } from '../../../db/postgres/database.ts';
import { Problem } from '../../../domain/problems.ts';

type Used = Omit<Keyring, 'rotate' | 'destroy'>;

export interface KeyringWhenOpen {
  keyring: Used;
  /** One attempt; rejects while the database or the file is not there. */
  open(): Promise<void>;
}

/** The keys are in the database, which may come after us: until they are open, what needs them is answered 503. */
export function keyringWhenOpen(database: Database, keysFile: string): KeyringWhenOpen {
  let opened: Keyring | undefined;
  const needed = (): Keyring => {
    if (opened !== undefined) return opened;
    throw new Problem('unavailable', 'The control plane is still starting; try again in a few seconds.', {
      retryAfterSeconds: 2,
    });
  };
  return {
    keyring: {
      cursorKey: () => needed().cursorKey(),
      identityKey: () => needed().identityKey(),
      payloadKey: async (id) => needed().payloadKey(id),
      encryptSecret: async (...given) => needed().encryptSecret(...given),
      decryptSecret: async (...given) => needed().decryptSecret(...given),
      secretHeader: async (...given) => needed().secretHeader(...given),
      derivedSecret: async (...given) => needed().derivedSecret(...given),
    },
    open: async () => {
      opened ??= await openKeyring(database, keysFile);
    },
  };
}
