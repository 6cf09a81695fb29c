import { ChevronDownIcon, ChevronUpIcon, CopyIcon, DownloadIcon, LinkIcon } from '@primer/octicons-react';
import { useRef, useState } from 'react';
import { saveFile } from '../browser/save-file.ts';
import { Button, IconButton } from '../forms/button.tsx';
import { Select, TextField } from '../forms/form.tsx';
import { useTimes } from '../times/zone.ts';
import type { LogChoice } from './choice.ts';
import type { LogRow, RunEnd } from './rows.ts';
import type { LogChannel } from './source.ts';
import { linesText } from './words.ts';

interface BarProps {
  channels: readonly LogChannel[];
  choice: LogChoice;
  onChoice: (choice: LogChoice) => void;
  times: boolean;
  setTimes: (on: boolean) => void;
  /** Whether it has two of them to choose from. */
  streams: boolean;
  wrap: boolean;
  setWrap: (on: boolean) => void;
  rows: readonly LogRow[];
  matches: readonly number[];
  current: LogRow | undefined;
  onMatch: (direction: 1 | -1) => void;
  failure: RunEnd | undefined;
  onFailure: () => void;
  /** So many lines are selected. */
  chosen: number;
  onCopy: () => void;
  onCopyLink: () => void;
  download: { name: string; text: () => string };
  earlier: EarlierProps;
}

/** Above a log: search, filters, switches, and what is done with its lines. */
export function LogBar({ channels, choice, onChoice, matches, rows, current, onMatch, chosen, ...bar }: BarProps) {
  const at = current === undefined ? -1 : matches.indexOf(rows.indexOf(current));
  const find = choice.find ?? '';
  return (
    <div className="flex flex-wrap items-center gap-2">
      <search
        className="flex min-w-56 flex-1 items-center gap-1"
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          onMatch(event.shiftKey ? -1 : 1);
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField
            name="find"
            label="Find in the log"
            bare
            type="search"
            placeholder="Find in the log"
            value={find}
            onChange={(text) => {
              const { find: _, ...rest } = choice;
              onChoice(text === '' ? rest : { ...rest, find: text });
            }}
          />
        </div>
        {find !== '' && (
          <>
            <span role="status" className="px-1 text-soft text-sm tabular-nums">
              {matches.length === 0
                ? 'No match'
                : `${at < 0 ? '' : `${(at + 1).toLocaleString('en')} of `}${matches.length.toLocaleString('en')}`}
            </span>
            <IconButton label="Previous match" onClick={() => onMatch(-1)}>
              <ChevronUpIcon />
            </IconButton>
            <IconButton label="Next match" onClick={() => onMatch(1)}>
              <ChevronDownIcon />
            </IconButton>
          </>
        )}
      </search>
      {find !== '' && <Earlier {...bar.earlier} matches={matches.length} onFound={() => onMatch(-1)} />}
      {bar.failure !== undefined && (
        <Button small onClick={bar.onFailure}>
          Jump to the failure
        </Button>
      )}
      {bar.streams && <Filters {...{ channels, choice, onChoice }} />}
      <Toggle on={bar.times} onChange={bar.setTimes}>
        Times
      </Toggle>
      <Toggle on={bar.wrap} onChange={bar.setWrap}>
        Wrap
      </Toggle>
      {chosen > 0 && (
        <>
          <Button small icon={<LinkIcon />} onClick={bar.onCopyLink}>
            Copy link
          </Button>
          <Button small icon={<CopyIcon />} onClick={bar.onCopy}>
            Copy {linesText(chosen)}
          </Button>
        </>
      )}
      {chosen === 0 && (
        <IconButton label="Copy all lines" onClick={bar.onCopy}>
          <CopyIcon />
        </IconButton>
      )}
      <IconButton
        label={chosen === 0 ? 'Download all lines' : 'Download the selected lines'}
        onClick={() => saveFile(bar.download.name, bar.download.text(), 'text/plain')}
      >
        <DownloadIcon />
      </IconButton>
    </div>
  );
}

function Toggle({ on, onChange, children }: { on: boolean; onChange: (on: boolean) => void; children: string }) {
  return (
    <Button small aria-pressed={on} look={on ? 'plain' : 'quiet'} onClick={() => onChange(!on)}>
      {children}
    </Button>
  );
}

function Filters({ channels, choice, onChoice }: Pick<BarProps, 'channels' | 'choice' | 'onChoice'>) {
  const { of, stream, ...rest } = choice;
  const groups = [...new Set(channels.map(({ group }) => group))];
  const choices = [
    { value: '', label: 'All instances' },
    ...(groups.length > 1 ? groups.map((group) => ({ value: group, label: `Process ${group}` })) : []),
    ...channels.map(({ id, ended }) => ({ value: id, label: ended ? `${id} (ended)` : id })),
  ];
  const streamOf = (value: string) => (value === 'stdout' || value === 'stderr' ? ({ stream: value } as const) : {});
  return (
    <>
      {channels.length > 1 && (
        <Select
          label="Instances"
          value={of ?? ''}
          onChange={(value) => onChoice({ ...rest, ...streamOf(stream ?? ''), ...(value === '' ? {} : { of: value }) })}
          choices={choices}
        />
      )}
      <Select
        label="Streams"
        value={stream ?? ''}
        onChange={(value) => onChoice({ ...rest, ...(of === undefined ? {} : { of }), ...streamOf(value) })}
        choices={[
          { value: '', label: 'Both streams' },
          { value: 'stdout', label: 'stdout' },
          { value: 'stderr', label: 'stderr' },
        ]}
      />
    </>
  );
}

interface EarlierProps {
  isFirst: boolean;
  read: () => Promise<number>;
  /** The time of the first line that was read. */
  oldest: number | undefined;
}

/** Searches what was not read yet, until something is found or somebody stops it. */
function Earlier({ isFirst, read, oldest, matches, onFound }: EarlierProps & { matches: number; onFound: () => void }) {
  const [searching, setSearching] = useState(false);
  const times = useTimes();
  const latest = useRef({ matches, onFound });
  latest.current = { matches, onFound };
  const going = useRef(false);
  const search = async () => {
    const before = latest.current.matches;
    going.current = true;
    setSearching(true);
    while (going.current && latest.current.matches === before && (await read()) > 0) {
      // The rows that came are searched when they are rendered.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
    going.current = false;
    setSearching(false);
    if (latest.current.matches > before) latest.current.onFound();
  };
  if (isFirst && !searching) return <span className="text-faint text-sm">All lines are searched</span>;
  if (!searching) {
    return (
      <Button small onClick={() => void search()}>
        Search further back
      </Button>
    );
  }
  return (
    <Button
      small
      onClick={() => {
        going.current = false;
      }}
    >
      {oldest === undefined ? 'Stop' : `Searched back to ${times.clock(oldest)} · Stop`}
    </Button>
  );
}
