import { formAction } from '../../components/actions/form-action.tsx';
import type { Plane } from '../../control-plane/plane.ts';
import { newRule, ruleFields } from './rule-fields.tsx';
import type { Rule } from './rule-sentence.tsx';
import { WorkflowFile } from './workflow-file.tsx';

/** Creates a rule, then shows the lines that a job needs to use it. */
export const makeRule = (trpc: Plane['trpc']) =>
  formAction({
    label: 'Trust jobs',
    operation: trpc.trustedIssuers.create,
    start: newRule(),
    fields: ruleFields(false),
    title: 'Trust jobs of a CI',
    submit: 'Trust these jobs',
    succeeded: ({ name }) => `${name} created`,
    touches: [trpc.apiTokens.pathKey()],
    after: {
      wide: true,
      title: ({ name }) => `${name}: jobs are trusted now`,
      content: (made, close) => <WorkflowFile rule={made} onClose={close} />,
    },
  });

export const changeRule = (trpc: Plane['trpc'], rule: Rule) =>
  formAction({
    label: 'Change',
    operation: trpc.trustedIssuers.update,
    path: { id: rule.id },
    current: rule,
    fields: ruleFields(true),
    title: `Change ${rule.name}`,
    submit: 'Save',
    succeeded: ({ name }) => `${name} saved`,
    touches: [trpc.apiTokens.pathKey()],
    children: (
      <p className="text-pretty text-soft text-sm">
        Changing the issuer, the audience, a claim or the role revokes the existing tokens of this rule.
      </p>
    ),
  });
