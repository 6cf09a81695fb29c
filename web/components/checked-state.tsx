import type { ReactNode } from 'react';
import { Status } from './status.tsx';
import type { Tone } from './style.ts';
import { Time } from './times/time.tsx';

interface Checked {
  word: string;
  tone: Tone;
  /** Why the other side refused what it was last asked with; empty if it did not. */
  lastError: string;
  verifiedAt?: string | undefined;
  /** Faults besides. */
  children?: ReactNode;
}

/** The state of something that an outside program has to accept, such as a token, by the last check. */
export function CheckedState({ word, tone, lastError, verifiedAt, children }: Checked) {
  return (
    <>
      <span className="text-text">
        <Status tone={tone}>{word}</Status>
      </span>
      {lastError !== '' && <span className="block text-pretty text-fault text-sm">{lastError}</span>}
      {lastError === '' && children}
      {lastError === '' && verifiedAt !== undefined && (
        <span className="block text-soft text-sm">
          Checked <Time at={verifiedAt} />
        </span>
      )}
    </>
  );
}
