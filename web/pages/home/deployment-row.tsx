import type { ReactNode } from 'react';
import { Row } from '../../components/rows.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { DeploymentStatus } from '../deployments/deployment-status.tsx';
import { type DeploymentAnswer, deploymentLink, kindWords } from '../deployments/deployment-words.ts';

interface DeploymentRowProps {
  deployment: DeploymentAnswer;
  /** A sentence beneath its name; its kind, where there is none. */
  about: string;
  /** Beside its state: by whom, when. */
  children: ReactNode;
}

/** A deployment among those of other projects. */
export function DeploymentRow({ deployment, about, children }: DeploymentRowProps) {
  const { slug } = useMembership();
  const { serviceName, releaseNumber, environmentName, projectName, kind } = deployment;
  return (
    <Row
      title={`${serviceName}, release ${releaseNumber}`}
      badges={
        <span className="text-soft text-sm">
          {environmentName} of {projectName}
        </span>
      }
      link={deploymentLink(deployment, slug)}
      detail={about || kindWords[kind]}
      facts={
        <>
          <span>{children}</span>
          <span className="text-text sm:w-42">
            <DeploymentStatus deployment={deployment} />
          </span>
        </>
      }
    />
  );
}
