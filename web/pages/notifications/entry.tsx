import { CheckIcon } from '@primer/octicons-react';
import { Button } from '../../components/forms/button.tsx';
import { Row } from '../../components/rows.tsx';
import { Badge } from '../../components/status.tsx';
import { Time } from '../../components/times/time.tsx';
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
