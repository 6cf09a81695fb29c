import {
  type KeyboardEvent,
  useCallback,
  useDeferredValue,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Button } from '../forms/button.tsx';
import { useTimes } from '../times/zone.ts';
import { tellDone } from '../toasts/told.ts';
import type { LogChoice } from './choice.ts';
import { LogBar } from './log-bar.tsx';
import { LogRowView } from './log-row.tsx';
import { LogStatus } from './log-status.tsx';
import { Matches, nextMatch } from './matches.ts';
import type { LogRow } from './rows.ts';
import type { LogChannel, LogSource } from './source.ts';
import { LogStore } from './store/log-store.ts';
import { useColumns } from './use-columns.ts';
import { useLinkedRow } from './use-linked-row.ts';
import { useRowsWindow } from './use-rows-window.ts';
import { linesText, logText } from './words.ts';

interface LogViewProps {
  label: string;
  source: LogSource;
  channels: readonly LogChannel[];
  /** In the address of the page. */
  choice: LogChoice;
  onChoice: (choice: LogChoice) => void;
  /** The address of the page with another choice. */
  hrefOf: (choice: LogChoice) => string;
  /** Of a log that is complete, in a sentence. */
  ended: string;
  /** A log of one stream whose lines have numbers, and of which every line is kept: a build's. */
  numbered?: boolean;
}

/** A region that scrolls and has no controls needs a tab stop for the keyboard. */
const scrolledByKeys = { tabIndex: 0 };

/** A log: of an instance, of all those of a workload, of whatever brings a source. */
export function LogView({ label, source, channels, choice, onChoice, hrefOf, ended, numbered = false }: LogViewProps) {
  const [store] = useState(() => new LogStore(source));
  const state = useSyncExternalStore(store.subscribe, store.view);
  const [following, setFollowing] = useState(choice.line === undefined);
  const [times, setTimes] = useState(!numbered);
  const [wrap, setWrap] = useState(true);
  const [current, setCurrent] = useState<LogRow>();
  const [chosen, setChosen] = useState<{ from: LogRow; to: LogRow }>();
  const find = useDeferredValue(choice.find ?? '');
  const clock = useTimes();
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [matches] = useState(() => new Matches());
  const named = channels.length > 1;
  const rows = useShown(state.rows, channels, choice);
  const { columns, stacked } = useColumns(box, { times, named, numbered });
  const onFollow = useCallback(
    (now: boolean) => {
      setFollowing(now);
      store.pause(!now);
    },
    [store],
  );
  const { first, end, before, after, show } = useRowsWindow(
    box,
    list,
    rows,
    { wrap, columns, stacked },
    { following, onFollow },
  );
  const found = matches.of(rows, find);

  const linked = useLinkedRow(store, rows, choice.line, show);
  const ids = channels.map(({ id, ended }) => `${id} ${ended}`).join();
  const opened = useRef<string>(undefined);
  useEffect(() => {
    // A line that is linked is read first; new channels join what is there.
    if (opened.current === undefined && linked.place !== undefined) {
      store.expect(channels);
      void store.openAt(linked.place.channel, linked.place.place);
    } else if (opened.current !== ids) store.read(channels);
    opened.current = ids;
  }, [store, ids, channels, linked.place]);
  useEffect(
    () => () => {
      opened.current = undefined;
      store.stop();
    },
    [store],
  );

  const go = (row: LogRow | undefined, index: number) => {
    setCurrent(row);
    show(index);
  };
  const goToMatch = (direction: 1 | -1) => {
    const from = current === undefined ? (direction === 1 ? first - 1 : rows.length) : rows.indexOf(current);
    const index = nextMatch(found, from, direction);
    if (index !== undefined) go(rows[index], index);
  };
  const goToFailure = async () => {
    const { failure } = state;
    if (failure === undefined) return;
    onFollow(false);
    if (!store.view().rows.some(({ id }) => id === failure.id)) await store.openAt(failure.channel, failure.place);
    linked.seek(failure.id);
  };
  const sought = useRef(choice.failing !== true);
  useEffect(() => {
    if (sought.current || state.failure === undefined) return;
    sought.current = true;
    void goToFailure();
  });
  const choose = (index: number, extend: boolean) => {
    const row = rows[index];
    if (row === undefined) return;
    onFollow(false);
    if (extend && chosen !== undefined) setChosen({ from: chosen.from, to: row });
    else {
      setChosen({ from: row, to: row });
      const { failing: _, ...rest } = choice;
      onChoice({ ...rest, line: linkOf(row) });
    }
  };
  // Rows are rendered again when they change, not when what a press does changes.
  const chooses = useRef(choose);
  chooses.current = choose;
  const onChoose = useCallback((index: number, extend: boolean) => chooses.current(index, extend), []);
  const range = chosenRange(rows, chosen);
  const isChosen = (index: number) => range !== undefined && index >= range[0] && index <= range[1];
  const stateOf = (row: LogRow, index: number) => {
    if (isChosen(index)) return 'chosen';
    return row === current || row.id === linked.id ? 'mark' : undefined;
  };
  const copy = (text: string, done: string) => void navigator.clipboard.writeText(text).then(() => tellDone(done));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setChosen(undefined);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || !event.shiftKey || chosen === undefined) return;
    event.preventDefault();
    choose(rows.indexOf(chosen.to) + step, true);
  };
  const shown = range === undefined ? rows : rows.slice(range[0], range[1] + 1);
  return (
    <div className="flex flex-col gap-2.5">
      <LogBar
        {...{ channels, choice, onChoice, times, setTimes, wrap, setWrap, matches: found, rows, current }}
        onMatch={goToMatch}
        streams={!numbered}
        failure={state.failure}
        onFailure={() => void goToFailure()}
        chosen={range === undefined ? 0 : shown.length}
        onCopy={() => copy(logText(shown, { times, named }), `${linesText(shown.length)} copied`)}
        onCopyLink={() => copy(new URL(hrefOf(choice), location.href).href, 'Link copied')}
        download={{ name: `${source.name}.log`, text: () => logText(shown, { times: true, named }) }}
        earlier={{ isFirst: state.isFirst, read: () => store.readEarlier(), oldest: rows[0]?.at }}
      />
      <div className="relative">
        <div
          ref={box}
          role="log"
          aria-label={label}
          aria-live="off"
          onKeyDown={onKeyDown}
          {...scrolledByKeys}
          style={{ overflowAnchor: 'none' }}
          className="h-[max(20rem,calc(100dvh-19rem))] overflow-auto overscroll-contain rounded-xl border border-line bg-card py-2.5 font-mono text-[0.75rem] shadow-card"
        >
          <div style={{ paddingTop: before, paddingBottom: after }} className={wrap ? undefined : 'w-max min-w-full'}>
            <div ref={list}>
              {rows.slice(first, end).map((row, offset) => (
                <LogRowView
                  key={row.id}
                  row={row}
                  index={first + offset}
                  state={stateOf(row, first + offset)}
                  href={hrefOf({ ...choice, line: linkOf(row) })}
                  onChoose={onChoose}
                  find={find}
                  times={times ? clock : undefined}
                  wrap={wrap}
                  named={named}
                />
              ))}
            </div>
          </div>
        </div>
        {!following && (
          <div className="pointer-events-none absolute inset-x-0 bottom-3 z-10 flex justify-center">
            <span className="pointer-events-auto rounded-md bg-raised shadow-raised">
              <Button small onClick={() => onFollow(true)}>
                {state.fresh === 0
                  ? 'Jump to the newest'
                  : `${state.fresh.toLocaleString('en')} new ${state.fresh === 1 ? 'line' : 'lines'}`}
              </Button>
            </span>
          </div>
        )}
      </div>
      <LogStatus
        {...{ state, following, ended, numbered }}
        isLost={linked.isLost}
        onEarlier={() => void store.readEarlier()}
      />
    </div>
  );
}

/** The id of a row and its place: what is needed to read around it. */
function linkOf({ id, place }: LogRow): string {
  return `${id}@${place}`;
}

function chosenRange(rows: readonly LogRow[], chosen: { from: LogRow; to: LogRow } | undefined) {
  if (chosen === undefined) return undefined;
  const ends = [rows.indexOf(chosen.from), rows.indexOf(chosen.to)].sort((one, other) => one - other);
  const [from = -1, to = -1] = ends;
  return from < 0 ? undefined : ([from, to] as const);
}

/** The rows of the channels and the stream that were chosen. */
function useShown(rows: readonly LogRow[], channels: readonly LogChannel[], { of, stream }: LogChoice) {
  const last = useRef<{ key: unknown; rows: readonly LogRow[]; shown: readonly LogRow[] }>(undefined);
  if (of === undefined && stream === undefined) return rows;
  const key = `${of} ${stream} ${channels.length}`;
  if (last.current?.key === key && last.current.rows === rows) return last.current.shown;
  const wanted = new Set(
    channels.filter(({ id, group }) => of === undefined || id === of || group === of).map(({ id }) => id),
  );
  const shown = rows.filter(
    (row) => wanted.has(row.channel) && (stream === undefined || row.kind === 'end' || row.stream === stream),
  );
  last.current = { key, rows, shown };
  return shown;
}
