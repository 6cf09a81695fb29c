import { getRouteApi, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { isBuildFinal } from '../../../../domain/builds/states.ts';
import type { LogChoice } from '../../../components/log/choice.ts';
import { LogView } from '../../../components/log/log-view.tsx';
import { Section } from '../../../components/page.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership } from '../../../control-plane/session.ts';
import { useLogChoice } from '../../instances/log/use-log.ts';
import type { BuildAnswer } from '../build-words.ts';
import { buildLogSource, channel, hashOf, lineOf, readBuildLog } from './build-log-source.ts';

const at = '/$organization/p/$project/e/$environment/s/$service/builds/$build';
const route = getRouteApi(at);

/** Its element, which other parts of the page lead to. */
export const logId = 'log';

/** It is always asked: whether more lines come, its stream says. */
const channels = [{ id: channel, group: channel, ended: false }];

/** The log of a build as it is made. The end of the address names a line: `#L120`. */
export function BuildLog({ build: { id, number, serviceName } }: { build: BuildAnswer }) {
  const { client } = usePlane();
  const { id: organizationId } = useMembership();
  const { find } = route.useSearch();
  const params = route.useParams();
  const router = useRouter();
  const navigate = useNavigate({ from: at });
  const line = lineOf(useLocation({ select: ({ hash }) => hash }));
  const [source] = useState(() =>
    buildLogSource({
      name: `${params.service}-build-${number}`,
      async extent() {
        const { logLines, status } = await client.builds.get.query({ path: { id } });
        return { lines: logLines, over: isBuildFinal(status) };
      },
      stream: (after, signal) => readBuildLog({ organizationId, buildId: id }, after, signal),
    }),
  );
  const { choice, onChoice } = useLogChoice(
    { ...(find === undefined ? {} : { find }), ...(line === undefined ? {} : { line }) },
    (next) => void navigate({ ...addressOf(next), replace: true, resetScroll: false, hashScrollIntoView: false }),
  );
  const place = useRef<HTMLDivElement>(null);
  // A link to a line leads to the log, wherever on the page that is.
  useEffect(() => {
    if (lineOf(location.hash.slice(1)) !== undefined) place.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <div ref={place} id={logId} className="scroll-mt-16">
      <Section title="Log" bare>
        <LogView
          label={`Log of build #${number} of ${serviceName}`}
          source={source}
          channels={channels}
          choice={choice}
          onChoice={onChoice}
          hrefOf={(next) => router.buildLocation({ to: at, params, ...addressOf(next) }).href}
          ended="The build is over; no more lines will come."
          numbered
        />
      </Section>
    </div>
  );
}

function addressOf({ find, line }: LogChoice) {
  const hash = hashOf(line);
  return { search: find === undefined ? {} : { find }, ...(hash === undefined ? {} : { hash }) };
}
