import { chosen, flag, type Search, text } from '../../../search.ts';

/** The part of a log's view that is in the address. */
export function logSearch({ find, line, of, stream, failing }: Search) {
  return {
    ...text('find', find),
    ...text('line', line),
    ...text('of', of),
    ...chosen('stream', stream, ['stdout', 'stderr']),
    ...flag('failing', failing),
  };
}
