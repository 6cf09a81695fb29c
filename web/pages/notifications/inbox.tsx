import { BellIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { inboxSize } from '../../../domain/notifications/notifications.ts';
import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { useAddressFilters } from '../../components/filter-bar/use-address-filters.ts';
import { Button } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { focusRow, useFocusKept } from '../../components/table/focus-kept.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { Entry } from './entry.tsx';
import { InBrowserSwitch } from './in-browser/switch.tsx';
import { newest } from './newest.ts';
import { useRead } from './use-read.ts';

const route = getRouteApi('/$organization/notifications');

/** The events that concern this person, newest first. */
export function Inbox() {
  const { trpc } = usePlane();
  const { organization } = route.useParams();
  const { unread = false } = route.useSearch();
  const bar = useAddressFilters();
  const inbox = usePages(trpc.notifications.list, { query: { limit: inboxSize, ...(unread && { unread }) } });
  const unreadCount = useQuery(newest(trpc)).data?.unreadCount;
  const all = useRead();
  const none = unreadCount === 0;
  const place = useRef<HTMLDivElement>(null);
  const ids = useMemo(() => inbox.items?.map(({ id }) => id) ?? [], [inbox.items]);
  const { onFocus, onBlur } = useFocusKept(ids, place);
  return (
    <Page
      title="Notifications"
      about="Events that concern you: read when you open them."
      actions={
        <>
          <InBrowserSwitch />
          {/* The button stays where it is when nothing is unread, so that the focus stays with it. */}
          <Button busy={all.sending} aria-disabled={none} onClick={() => none || all.send({ all: true })}>
            Mark all as read
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <FilterBar
          {...bar}
          filters={[{ name: 'unread', label: 'Unread' }]}
          count={unreadCount !== undefined && `${unreadCount} unread`}
        />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it only hears where the focus goes. */}
        <div ref={place} onFocus={onFocus} onBlur={onBlur}>
          <Card>
            <LoadedPages pages={inbox} empty={<Nothing unread={unread} onAll={() => bar.onChange({})} />}>
              {(items) => (
                <Rows label="Notifications">
                  {items.map((notification) => (
                    <Entry
                      key={notification.id}
                      notification={notification}
                      organization={organization}
                      onMark={() => focusRow(place.current, notification.id, false)}
                    />
                  ))}
                </Rows>
              )}
            </LoadedPages>
          </Card>
        </div>
      </div>
    </Page>
  );
}

function Nothing({ unread, onAll }: { unread: boolean; onAll: () => void }) {
  return (
    <div tabIndex={-1} data-empty>
      {unread ? (
        <EmptyState
          icon={<BellIcon />}
          title="Nothing unread"
          action={<Button onClick={onAll}>Show everything</Button>}
        >
          You have read all of your notifications.
        </EmptyState>
      ) : (
        <EmptyState icon={<BellIcon />} title="Nothing yet">
          You are told here when a deployment that you requested fails or is live in production. Administrators are told
          of approvals that wait, failures in production, and clusters that lost contact, too.
        </EmptyState>
      )}
    </div>
  );
}
