import { BellIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { createRoute } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { usePlane } from '../../control-plane/plane.ts';
import { file, pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all } from '../../live/affected.ts';
import { flag, type Search } from '../../search.ts';
import { useAllowed } from './in-browser/allowed.ts';
import { newest } from './newest.ts';

const inbox = createRoute({
  ...pageIn(organizationRoute, '/notifications', () => import('./inbox.tsx'), 'Inbox'),
  validateSearch: ({ unread }: Search) => flag('unread', unread),
});

export const routes = [inbox] as const;

export const place: NavigationEntry = {
  label: 'Notifications',
  to: '/$organization/notifications',
  icon: <BellIcon />,
  key: 'n',
  group: 'work',
  also: 'inbox bell unread',
  besideSearch: true,
  along: WatchIfOn,
  useBadge: () => {
    const { data } = useQuery(newest(usePlane().trpc));
    return data && { count: data.unreadCount, tone: 'live', label: 'unread' };
  },
};

export const affected: Affected<'notification'> = { notification: (trpc) => [all(trpc.notifications)] };

const Watch = lazy(() => file(() => import('./in-browser/watch.tsx')).then(({ Watch }) => ({ default: Watch })));

/** Beside every page of an organization, in browsers that were told to. */
function WatchIfOn() {
  return (
    useAllowed() === 'on' && (
      <Suspense>
        <Watch />
      </Suspense>
    )
  );
}
