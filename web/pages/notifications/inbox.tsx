import { BellIcon, BellSlashIcon, CheckIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { inboxSize } from '../../../domain/notifications/notifications.ts';
import { FilterBar, useAddressFilters } from '../../components/filter-bar/filter-bar.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { focusRow, useFocusKept } from '../../components/table/focus-kept.ts';
import { Time } from '../../components/times/time.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useAllowed, usePermission } from './in-browser/allowed.ts';
import { newest } from './newest.ts';
import { kindOf, linkOf, type Notification } from './notification-words.tsx';
import { useRead } from './use-read.ts';

interface EntryProps {
  notification: Notification;
  organization: string;
  /** Before its button goes. */
  onMark: () => void;
}

/** One event: opening its subject marks it as read, while the page of that is on its way already. */
export function Entry({ notification, organization, onMark }: EntryProps) {
  const { id, title, body, createdAt, readAt } = notification;
  const { word, sign } = kindOf(notification);
  const link = linkOf(notification, organization);
  const read = useRead();
  const isUnread = readAt === undefined;
  const mark = () => isUnread && read.send({ ids: [id] });
  return (
    <Row
      id={id}
      lead={<span aria-hidden="true">{sign}</span>}
      title={title}
      {...(link && { link, onOpen: mark })}
      badges={isUnread && <Badge tone="live">Unread</Badge>}
      detail={body === '' ? undefined : body}
      facts={
        <>
          <span>{word}</span>
          <Time at={createdAt} />
        </>
      }
      actions={
        isUnread ? (
          <Button
            look="quiet"
            small
            aria-label={`Mark as read: ${title}`}
            onClick={() => {
              onMark();
              mark();
            }}
          >
            <CheckIcon className="sm:hidden" />
            <span className="max-sm:hidden">Mark as read</span>
          </Button>
        ) : undefined
      }
    />
  );
}

/** Has this browser show notifications of its own. It asks for the permission by this press alone. */
export function InBrowserSwitch() {
  const allowed = useAllowed();
  const { allow, stop } = usePermission();
  if (allowed === 'absent') return null;
  if (allowed === 'blocked') {
    return (
      <p className="max-w-md text-pretty text-soft text-sm">
        This browser blocks notifications of this site. To be notified here, allow them in the settings of the site,
        which open beside its address.
      </p>
    );
  }
  const on = allowed === 'on';
  return (
    <div className="flex flex-wrap items-center justify-end gap-x-2 gap-y-1 max-sm:justify-start">
      {on && <span className="text-soft text-xs">On, while a tab of Ballast is open and none is in sight.</span>}
      <Button
        look="quiet"
        aria-pressed={on}
        icon={on ? <BellIcon size={14} /> : <BellSlashIcon size={14} />}
        onClick={() => (on ? stop() : void allow())}
      >
        Notify me in this browser
      </Button>
    </div>
  );
}

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
