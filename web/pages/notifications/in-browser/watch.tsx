import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { inboxSize } from '../../../../domain/notifications/notifications.ts';
import { keep, keptList } from '../../../components/browser/kept.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership, useSession } from '../../../control-plane/session.ts';
import { newest } from '../newest.ts';
import { linkOf } from '../notification-words.tsx';
import { useRead } from '../use-read.ts';
import { noteAbsent } from './allowed.ts';
import { Arrivals, type Showing, showingsOf } from './arrivals.ts';

/** Has the browser show what arrives in the inbox while no tab of the organization is in sight. Shows nothing itself. */
export function Watch() {
  const { client, trpc } = usePlane();
  const { id: organizationId, slug: organization } = useMembership();
  const navigate = useNavigate();
  const read = useRead();
  const name = `ballast.notified.${useSession()?.user.id ?? ''}.${organizationId}`;
  const { data } = useQuery(newest(trpc));
  const [first, unread] = [data?.items[0]?.id, data?.unreadCount];

  const open = ({ about }: Showing) => {
    window.focus();
    if (about !== undefined) read.send({ ids: [about.id] });
    const link = about && linkOf(about, organization);
    void navigate(link ?? { to: '/$organization/notifications', params: { organization } });
  };
  const look = async (arrivals: Arrivals): Promise<void> => {
    const { items } = await client.notifications.list.query({ query: { limit: inboxSize } });
    const arrived = arrivals.look(items);
    if (arrived.length === 0) return;
    // Decided before it is taken: whoever looked when it arrived has seen it, also if that tab is left a moment later.
    const seen = await isInSight(name);
    const free = await claim(
      name,
      arrived.map(({ id }) => id),
    );
    if (seen) return;
    for (const showing of showingsOf(arrived.filter(({ id }) => free.includes(id)))) show(showing, latest.current.open);
  };
  const latest = useRef({ look, open });
  latest.current = { look, open };

  useEffect(() => holdSight(name), [name]);
  const arrivals = useRef({ name, of: new Arrivals(), last: Promise.resolve() });
  useEffect(() => {
    if (first === undefined && unread === undefined) return;
    if (arrivals.current.name !== name) arrivals.current = { name, of: new Arrivals(), last: Promise.resolve() };
    const { of, last } = arrivals.current;
    // One after the other. What could not be asked now comes with the next arrival.
    arrivals.current.last = last.then(() => latest.current.look(of)).catch(() => undefined);
  }, [name, first, unread]);
  return null;
}

function show(showing: Showing, open: (showing: Showing) => void): void {
  const { title, body, tag } = showing;
  try {
    const shown = new Notification(title, { body, tag });
    shown.onclick = () => {
      shown.close();
      open(showing);
    };
  } catch {
    noteAbsent();
  }
}

/** All that this browser has told so far; more than an inbox shows at once. */
const most = 200;

/**
 * Of these notifications the ones that no tab of this browser has taken yet: from now on they are this tab's. One that was
 * seen in a tab is taken, too.
 */
async function claim(name: string, ids: readonly string[]): Promise<string[]> {
  return await navigator.locks.request(`${name}.claim`, () => {
    const taken = keptList(name).map(String);
    const free = ids.filter((id) => !taken.includes(id));
    if (free.length > 0) keep(name, JSON.stringify([...taken, ...free].slice(-most)));
    return free;
  });
}

/** Says for as long as this tab is in sight that one is. Returns how to stop. */
function holdSight(name: string): () => void {
  let leave: (() => void) | undefined;
  const look = () => {
    if (document.visibilityState !== 'visible') {
      leave?.();
      leave = undefined;
    } else if (leave === undefined) {
      const held = new Promise<void>((resolve) => {
        leave = resolve;
      });
      void navigator.locks.request(`${name}.sight`, { mode: 'shared' }, () => held);
    }
  };
  const over = new AbortController();
  document.addEventListener('visibilitychange', look, { signal: over.signal });
  look();
  return () => {
    over.abort();
    leave?.();
  };
}

/** Whether somebody looks at the organization in a tab of this browser. */
async function isInSight(name: string): Promise<boolean> {
  if (document.visibilityState === 'visible') return true;
  return await navigator.locks.request(`${name}.sight`, { ifAvailable: true }, (lock) => lock === null);
}
