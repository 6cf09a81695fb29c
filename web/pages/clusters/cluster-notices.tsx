import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { NoHeartbeat } from '../agents/no-heartbeat.tsx';
import { type ClusterAnswer, isLost } from './cluster-status.tsx';

/** Problems of a cluster and what to do. `onJoin` is set for people who may create a join command. */
export function ClusterNotices({ cluster, onJoin }: { cluster: ClusterAnswer; onJoin: (() => void) | undefined }) {
  const { status, message, reconcileError, compileError } = cluster;
  return (
    <>
      {status === 'awaiting-agent' && (
        <Notice tone="attention" title="This cluster is waiting for its agent">
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p className="min-w-0 flex-1 basis-64">
              {onJoin === undefined
                ? 'An administrator can show the join command.'
                : 'Run the command on its machine. If it has already run, its last line says what went wrong.'}
            </p>
            {onJoin !== undefined && (
              <Button small onClick={onJoin}>
                Show the command again
              </Button>
            )}
          </div>
        </Notice>
      )}
      {isLost(cluster) && <NoHeartbeat cluster={cluster} />}
      {status === 'degraded' && (
        <Notice tone="attention" title="Degraded">
          {message}
        </Notice>
      )}
      {status === 'failed' && (
        <Notice tone="fault" title="The cluster has failed">
          {message}
        </Notice>
      )}
      {status === 'deleting' && <Notice title="This cluster is being deleted">{message}</Notice>}
      {compileError !== '' && (
        <Notice tone="fault" title="Not everything can be sent to the agent">
          {compileError}
        </Notice>
      )}
      {reconcileError !== '' && reconcileError !== message && (
        <Notice tone="attention" title="The agent reports a problem">
          {reconcileError}
        </Notice>
      )}
    </>
  );
}
