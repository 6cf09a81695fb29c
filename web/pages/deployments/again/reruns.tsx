import { Link } from '@tanstack/react-router';
import { useMembership } from '../../../control-plane/session.ts';
import { type DeploymentAnswer, deploymentLink, stageWords } from '../deployment-words.ts';

/** From a rerun to the deployment that it repeats, and from that one to its newest rerun. */
export function Reruns({ deployment: { rerunOf, fromStage, rerunId } }: { deployment: DeploymentAnswer }) {
  const from = fromStage === undefined ? '' : ` from ${stageWords[fromStage].toLowerCase()}`;
  return (
    <>
      {rerunOf !== undefined && <To id={rerunOf}>Rerun{from} of an earlier deployment</To>}
      {rerunId !== undefined && <To id={rerunId}>It was rerun</To>}
    </>
  );
}

function To({ id, children }: { id: string; children: React.ReactNode }) {
  const { slug } = useMembership();
  return (
    <>
      {' · '}
      <Link {...deploymentLink({ id }, slug)} className="underline underline-offset-3">
        {children}
      </Link>
    </>
  );
}
