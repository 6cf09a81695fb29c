import { memo } from 'react';
import { classes } from '../../../components/style.ts';
import type { Block } from './kept-lines.ts';
import type { LogLine } from './read-log.ts';

/**
 * Full blocks never change, so only the last one is rendered again. A line is one element: the style sheet prints its
 * stream and time, and decides whether times are shown and lines are wrapped.
 */
export const LogBlock = memo(function LogBlock({ block, find }: { block: Block; find: string }) {
  return block.lines
    .filter((line) => matches(line, find))
    .map(({ id, stream, text, at }) => (
      <div
        key={id}
        data-stream={stream === 'stderr' ? 'err' : 'out'}
        data-at={at === undefined ? '--:--:--.---' : clock.format(new Date(at))}
        className={classes(
          look,
          stream === 'stderr' ? 'bg-attention-ground/50 before:text-attention' : 'before:text-faint',
        )}
      >
        {text || ' '}
      </div>
    ));
});

const look =
  'flex gap-3 whitespace-pre px-3.5 leading-5 before:shrink-0 before:content-[attr(data-stream)] group-data-[wrap=true]/log:whitespace-pre-wrap group-data-[wrap=true]/log:wrap-anywhere group-data-[times=true]/log:before:content-[attr(data-at)_"__"_attr(data-stream)] before:whitespace-pre';

/** `find` is in lower case; empty: all lines. */
export function matches({ text }: LogLine, find: string): boolean {
  return find === '' || text.toLowerCase().includes(find);
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** The lines as a file has them. */
export function logText(blocks: readonly Block[], { find, times }: { find: string; times: boolean }): string {
  return blocks
    .flatMap(({ lines }) => lines)
    .filter((line) => matches(line, find))
    .map(({ at, text }) => (times && at !== undefined ? `${at} ${text}\n` : `${text}\n`))
    .join('');
}
