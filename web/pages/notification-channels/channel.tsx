import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ActionMenu } from '../../components/actions/action-menu.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Notice } from '../../components/notice.tsx';
import { Fact, Facts, Page, Section } from '../../components/page.tsx';
import { Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { ChannelStatus, useChannel, Waiting } from './channel-state.tsx';
import { type Channel, eventsText, kindName } from './channel-words.ts';
import { Deliveries } from './deliveries.tsx';
import { testChannel, useChannelActions, useRetry } from './use-channel-actions.tsx';

const route = getRouteApi('/$organization/notification-channels/$channel');

/** One channel: how it is, and what was sent to it. */
export function OneChannel() {
  return (
    <ThingPage query={useChannel(route.useParams().channel)} noun="Channel">
      {(channel) => <Shown channel={channel} />}
    </ThingPage>
  );
}

function Shown({ channel }: { channel: Channel }) {
  const navigate = useNavigate();
  const { organization } = route.useParams();
  const retry = useRetry();
  const actions = useChannelActions(
    () => void navigate({ to: '/$organization/notification-channels', params: { organization } }),
  )(channel);
  const { label, kind, hint, events, enabled, lastError, lastDeliveredAt, createdAt } = channel;
  return (
    <Page
      title={label}
      status={<ChannelStatus channel={channel} />}
      actions={
        <>
          {[...retry(channel), testChannel(channel)].map((action) => (
            <OneAction key={action.label} action={action} />
          ))}
          <ActionMenu label={`Actions for ${label}`} actions={actions} />
        </>
      }
    >
      {enabled && lastError !== '' && (
        <Notice tone="fault" title={<WithTimes text={lastError} />}>
          <Waiting channel={channel} />
        </Notice>
      )}
      <Section>
        <Facts>
          <Fact label="Kind">{kindName(kind)}</Fact>
          <Fact label={kind === 'incident_pager' ? 'Routing key' : 'Webhook'}>{hint}</Fact>
          <Fact label="Gets">{eventsText(events)}</Fact>
          <Fact label="Last delivered">{lastDeliveredAt === undefined ? 'Never' : <Time at={lastDeliveredAt} />}</Fact>
          <Fact label="Created">
            <Time at={createdAt} />
          </Fact>
        </Facts>
      </Section>
      <Deliveries channel={channel} />
    </Page>
  );
}
