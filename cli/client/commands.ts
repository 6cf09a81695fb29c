import { type Command, from } from '../engine/command.ts';

/** Commands that need an address and a credential and nothing else: these are the command line that is installed alone. */
export const clientCommands: Readonly<Record<string, () => Promise<Command>>> = {
  ...from(() => import('../token-exchange.ts'), 'token', 'exchange'),
  ...from(() => import('../place/link.ts'), 'link'),
  ...from(() => import('../project.ts'), 'project', 'list create show set delete'),
  ...from(() => import('../env.ts'), 'env', 'list create show compare clone delete'),
  ...from(() => import('../service/service.ts'), 'service', 'list create show'),
  ...from(() => import('../service/set.ts'), 'service', 'set'),
  ...from(() => import('../service/service.ts'), 'service', 'suspend resume delete'),
  ...from(() => import('../service/create-process.ts'), 'process', 'create'),
  ...from(() => import('../var.ts'), 'var', 'list set unset history import export'),
  ...from(() => import('../file.ts'), 'file', 'list set unset'),
  ...from(() => import('../volume.ts'), 'volume', 'list add grow remove'),
  ...from(() => import('../deleted.ts'), 'deleted', 'list restore purge'),
  ...from(() => import('../change-set.ts'), 'discard'),
  ...from(() => import('../deploy/deploy.ts'), 'deploy'),
  ...from(() => import('../deployment/commands.ts'), 'rollback'),
  ...from(() => import('../deployment/promote.ts'), 'promote'),
  ...from(() => import('../deployment/commands.ts'), 'redeploy rerun cancel'),
  ...from(() => import('../deployment/commands.ts'), 'deployment', 'list show stats'),
  ...from(() => import('../build/build.ts'), 'build', 'create list show log approve cancel retry'),
  ...from(() => import('../change-set-retry.ts'), 'change-set', 'retry'),
  ...from(() => import('../change-set.ts'), 'change-set', 'revert cancel'),
  ...from(() => import('../approval.ts'), 'approval', 'list show'),
  ...from(() => import('../approval.ts'), 'approve reject'),
  ...from(() => import('../attention.ts'), 'attention'),
  ...from(() => import('../guard.ts'), 'guard', 'undo'),
  ...from(() => import('../channel.ts'), 'channel', 'list add set test'),
  ...from(() => import('../channel-deliveries.ts'), 'channel', 'retry log'),
  ...from(() => import('../channel.ts'), 'channel', 'delete'),
  ...from(
    () => import('../git-connection.ts'),
    'git-connection',
    'list add set check remove repositories branches webhook',
  ),
  ...from(() => import('../registry-credential.ts'), 'registry-credential', 'list add check set remove'),
  ...from(() => import('../store.ts'), 'store', 'list add verify set remove'),
  ...from(() => import('../backup.ts'), 'backup', 'list create show cancel download delete'),
  ...from(() => import('../backup-restore.ts'), 'backup', 'restore restores restore-show restore-cancel'),
  ...from(() => import('../notification.ts'), 'notification', 'list read watch'),
  ...from(() => import('../why.ts'), 'why'),
  ...from(() => import('../status.ts'), 'status open'),
  ...from(() => import('../log/logs.ts'), 'logs'),
  ...from(() => import('../cluster.ts'), 'cluster', 'list create show delete token'),
  ...from(() => import('../workload/apply.ts'), 'cluster', 'apply'),
  ...from(() => import('../workload/workload.ts'), 'cluster', 'ps restart remove'),
  ...from(() => import('../log/logs.ts'), 'cluster', 'logs'),
  ...from(() => import('../cluster-exec.ts'), 'cluster', 'exec'),
  ...from(() => import('../cluster.ts'), 'cluster', 'events update rollback'),
  ...from(() => import('../workflow/workflow.ts'), 'workflow', 'list show export history'),
  ...from(() => import('../search.ts'), 'search'),
};

const ours = [...Object.keys(clientCommands), 'help'].map((name) => name.replace(' ', ' +')).join('|');
/** A command that is one of ours, or that is put in later. */
const ofOurs = new RegExp(`\\.\\/ballast(?= (?:(?:${ours})\\b|\\$\\{))`, 'g');

/** Commands as they are typed where this is installed alone. Those of an installation keep the path: they run in its checkout. */
export function asTyped(text: string): string {
  return text.replace(ofOurs, 'ballast');
}
