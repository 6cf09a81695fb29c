import { type Change, type Sent, useChange } from '../../control-plane/change.ts';
import { pagesKey, withItems } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers, Inputs } from '../../control-plane/session.ts';
import { newest } from './newest.ts';
import type { Notification } from './notification-words.tsx';

type Which = Inputs['notifications']['read']['body'];
type Listed = Answers['notifications']['list'];

/** Marks as read, on the page at once. */
export function useRead(): Change<Which> {
  const { client, trpc } = usePlane();
  return useChange((which: Which, sent: Sent) => client.notifications.read.mutate({ body: which }, sent), {
    failed: 'The notification could not be marked as read',
    succeeded: (_, which) => ('all' in which ? 'All marked as read' : 'Marked as read'),
    meanwhile: (which) => {
      const read = (items: Notification[]) => readAmong(items, which);
      return [
        { queryKey: pagesKey(trpc.notifications.list), data: withItems(read) },
        {
          queryKey: newest(trpc).queryKey,
          data: (before: Listed): Listed => ({
            ...before,
            items: read(before.items),
            unreadCount:
              'all' in which ? 0 : Math.max(0, before.unreadCount - which.ids.filter(isUnread(before)).length),
          }),
        },
      ];
    },
  });
}

/** Whether the answer counts it; an entry that is older than the newest ones is unread where it is shown as such. */
function isUnread({ items }: Listed): (id: string) => boolean {
  const read = new Set(items.filter(({ readAt }) => readAt !== undefined).map(({ id }) => id));
  return (id) => !read.has(id);
}

/** The items as they are once these, or all, are marked as read. */
export function readAmong(items: Notification[], which: Which): Notification[] {
  const readAt = new Date().toISOString();
  return items.map((item) => {
    const read = item.readAt === undefined && ('all' in which || which.ids.includes(item.id));
    return read ? { ...item, readAt } : item;
  });
}
