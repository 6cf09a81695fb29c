import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { newRule, ruleFields } from './rule-fields.tsx';
import type { Rule } from './rule-sentence.tsx';
import { WorkflowFile } from './workflow-file.tsx';

interface RuleDialogProps {
  rule?: Rule;
  open: boolean;
  onClose: () => void;
}

/** Changes a rule, or creates one and then shows the lines that a job needs to use it. */
export function RuleDialog({ rule, open, onClose }: RuleDialogProps) {
  const { trpc } = usePlane();
  const shared = { open, onClose, touches: [trpc.apiTokens.pathKey()] };
  if (rule === undefined) {
    return (
      <FormDialog
        {...shared}
        operation={trpc.trustedIssuers.create}
        start={newRule()}
        fields={ruleFields(false)}
        title="Trust jobs of a CI"
        submit="Trust these jobs"
        succeeded={({ name }) => `${name} created`}
        after={{
          wide: true,
          title: ({ name }) => `${name}: jobs are trusted now`,
          content: (made, close) => <WorkflowFile rule={made} onClose={close} />,
        }}
      />
    );
  }
  return (
    <FormDialog
      {...shared}
      operation={trpc.trustedIssuers.update}
      path={{ id: rule.id }}
      current={rule}
      fields={ruleFields(true)}
      title={`Change ${rule.name}`}
      submit="Save"
      succeeded={({ name }) => `${name} saved`}
    >
      <p className="text-pretty text-soft text-sm">
        Changing the issuer, the audience, a claim or the role revokes the existing tokens of this rule.
      </p>
    </FormDialog>
  );
}
