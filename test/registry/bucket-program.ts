import { clientProgram } from './clients.ts';

/** Has the server of buckets built before any test waits for it: the first build takes two minutes. */
export default function bucketProgram(): void {
  clientProgram('versitygw');
}
