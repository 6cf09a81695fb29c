import { gitExamples } from '../git/git-examples.ts';
import { buildExamples } from './build-examples.ts';
import { changeExamples } from './change-examples.ts';
import { clusterExamples } from './cluster-examples.ts';
import { deletionExamples } from './deletion-examples.ts';
import { deliveryExamples } from './delivery-examples.ts';
import { deploymentExamples } from './deployment-examples.ts';
import type { Example, ExampleGround } from './example.ts';
import { notificationExamples } from './notification-examples.ts';
import { organizationExamples } from './organization-examples.ts';

/** The example of each operation, by its name. */
export function operationExamples(ground: ExampleGround): Record<string, Example> {
  return {
    ...organizationExamples(ground),
    ...clusterExamples(ground),
    ...deliveryExamples(ground),
    ...deletionExamples(ground),
    ...changeExamples(ground),
    ...deploymentExamples(ground),
    ...buildExamples(ground),
    ...gitExamples(ground),
    ...notificationExamples(ground),
    'auditLog.list': {},
    'envTemplate.parse': { personal: true, body: () => ({ text: '# Of the shop\nSHOP_URL=' }) },
    'version.get': {},
    'version.releases': {},
    'reference.openapi': {},
  };
}
