import { AlertIcon, ChecklistIcon, RocketIcon, XCircleIcon } from '@primer/octicons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';
import { buildLink } from '../builds/build-words.ts';
import { deploymentLink } from '../deployments/deployment-words.ts';

export type Notification = Answers['notifications']['list']['items'][number];

interface Words {
  word: string;
  tone: Tone;
  sign: ReactNode;
}

const kinds: Record<Notification['kind'], Words> = {
  approval: { word: 'Approval', tone: 'attention', sign: <ChecklistIcon className="text-attention" /> },
  failure: { word: 'Failure', tone: 'fault', sign: <XCircleIcon className="text-fault" /> },
  warning: { word: 'Warning', tone: 'attention', sign: <AlertIcon className="text-attention" /> },
  deploy: { word: 'Deployment', tone: 'good', sign: <RocketIcon className="text-good" /> },
};

/** Sign and word of its kind. Kinds added by a newer control plane are shown under their API name, without a sign. */
export function kindOf({ kind }: Pick<Notification, 'kind'>): { word: string; sign?: ReactNode } {
  return wordsOf<Words | { word: string; tone: Tone; sign?: never }>(kinds, kind);
}

/** The page of its subject; none where a newer control plane names a subject that is not known here. */
export function linkOf({ link }: Pick<Notification, 'link'>, organization: string): LinkProps | undefined {
  const { type, approvalId, buildId, deploymentId, clusterId, volumeBackupId, tab } = link;
  if (type === 'guard') return { to: '/$organization', params: { organization } };
  if (type === 'approval' && approvalId !== undefined) {
    return { to: '/$organization/approvals/$approval', params: { organization, approval: approvalId } };
  }
  if (type === 'deployment' && deploymentId !== undefined) return deploymentLink({ id: deploymentId }, organization);
  if (type === 'build' && buildId !== undefined) return buildLink({ id: buildId }, organization);
  if (type === 'volume_backup' && volumeBackupId !== undefined)
    return { to: '/$organization/workflows/$workflow', params: { organization, workflow: volumeBackupId } };
  if (type === 'cluster' && clusterId !== undefined) {
    const params = { organization, cluster: clusterId };
    return {
      to: tab === 'agent' ? '/$organization/clusters/$cluster/agent' : '/$organization/clusters/$cluster',
      params,
    };
  }
  return undefined;
}
