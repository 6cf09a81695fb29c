import { CopyIcon, DownloadIcon } from '@primer/octicons-react';
import { useDeferredValue, useEffect, useState, useSyncExternalStore } from 'react';
import { Button, IconButton } from '../../../components/forms/button.tsx';
import { TextField } from '../../../components/forms/form.tsx';
import { saveFile } from '../../../components/save-file.ts';
import { tellDone } from '../../../components/toasts/told.ts';
import { mostLines } from './kept-lines.ts';
import { LogFollower, type LogView } from './log-follower.ts';
import { LogBlock, logText, matches } from './log-lines.tsx';
import { LogScroller } from './log-scroller.tsx';
import { LogState } from './log-state.tsx';
import type { WhichLog } from './read-log.ts';

/** The log of an instance, from its last lines on. */
export function InstanceLog({
  which,
  find,
  onFind,
  gone,
}: {
  which: WhichLog;
  find: string;
  onFind: (find: string) => void;
  /** The agent no longer reports the instance: no lines will be added. */
  gone: boolean;
}) {
  const [follower] = useState(() => new LogFollower(which));
  const live = useSyncExternalStore(follower.subscribe, follower.view);
  // The view is frozen while somebody reads, and resumes at the newest line.
  const [still, setStill] = useState<LogView>();
  const [times, setTimes] = useState(false);
  const [wrap, setWrap] = useState(true);
  const wanted = useDeferredValue(find.toLowerCase());
  const view = still ?? live;
  useEffect(() => {
    if (!gone) follower.start();
    return () => follower.stop();
  }, [follower, gone]);

  const setFollowing = (following: boolean) => setStill(following ? undefined : follower.view());
  const text = () => logText(view.blocks, { find: wanted, times });
  const copy = () => void navigator.clipboard.writeText(text()).then(() => tellDone('The shown lines were copied.'));
  const showEarlier = () => {
    setFollowing(false);
    follower.readEarlier();
    const unsubscribe = follower.subscribe(() => {
      if (follower.view().more) return;
      unsubscribe();
      setStill((reading) => reading && follower.view());
    });
  };
  return (
    <div className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-40 flex-1">
          <TextField
            name="find"
            label="Find in the log"
            bare
            type="search"
            placeholder="Find in the log"
            value={find}
            onChange={onFind}
          />
        </div>
        <Toggle on={times} onChange={setTimes}>
          Times
        </Toggle>
        <Toggle on={wrap} onChange={setWrap}>
          Wrap
        </Toggle>
        {!gone && (
          <Button small onClick={() => setFollowing(still !== undefined)}>
            {still === undefined ? 'Pause' : 'Follow'}
          </Button>
        )}
        <IconButton label="Copy the shown lines" onClick={copy}>
          <CopyIcon />
        </IconButton>
        <IconButton
          label="Download the shown lines"
          onClick={() => saveFile(`${which.instanceId}.log`, text(), 'text/plain')}
        >
          <DownloadIcon />
        </IconButton>
      </div>
      <LogScroller
        label={`Log of ${which.instanceId}`}
        following={still === undefined}
        onFollow={setFollowing}
        version={view.blocks}
        newLines={live.told - view.told}
        wrap={wrap}
        times={times}
      >
        {view.more && !gone && (
          <div className="px-3.5 pb-2">
            <Button small onClick={showEarlier}>
              Show earlier lines
            </Button>
          </div>
        )}
        {view.dropped && (
          <p className="px-3.5 pb-2 font-sans text-faint">
            Only the last {mostLines.toLocaleString('en')} lines are kept here.
          </p>
        )}
        {view.blocks.map((block) => (
          <LogBlock key={block.id} block={block} find={wanted} />
        ))}
      </LogScroller>
      <LogState view={live} paused={still !== undefined} gone={gone} shown={shownCount(view, wanted)} />
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

/** How many lines match; undefined if nothing is looked for. */
function shownCount({ blocks }: LogView, find: string): number | undefined {
  if (find === '') return undefined;
  return blocks.reduce((sum, { lines }) => sum + lines.filter((line) => matches(line, find)).length, 0);
}
