import { Status } from '../../../components/status.tsx';
import type { LogView } from './log-follower.ts';

/** State of the log stream. The number of matches is outside the live region. */
export function LogState({
  view,
  paused,
  gone,
  shown,
}: {
  view: LogView;
  paused: boolean;
  gone: boolean;
  shown: number | undefined;
}) {
  return (
    <div className="flex min-h-5 flex-wrap items-center justify-between gap-x-4 gap-y-1 text-soft text-sm">
      <div role="status">
        <State view={view} paused={paused} gone={gone} />
      </div>
      {shown !== undefined && (
        <span>
          {shown.toLocaleString('en')} {shown === 1 ? 'line matches' : 'lines match'}
        </span>
      )}
    </div>
  );
}

function State({ view, paused, gone }: { view: LogView; paused: boolean; gone: boolean }) {
  const { state, why, blocks } = view;
  if (gone || state === 'ended') {
    return <Status tone="neutral">The instance has ended; no more lines will come.</Status>;
  }
  if (state === 'interrupted') {
    return (
      <span className="text-pretty">
        <Status tone="attention">Interrupted; reconnecting</Status>
        {why !== '' && <span className="block">{why}</span>}
      </span>
    );
  }
  if (state === 'connecting') return <Status tone="live">Asking the agent…</Status>;
  if (paused) return <Status tone="neutral">Paused</Status>;
  return <Status tone="live">{blocks.length === 0 ? 'No lines yet; following' : 'Following'}</Status>;
}
