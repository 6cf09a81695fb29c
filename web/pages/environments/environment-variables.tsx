import { Loaded } from '../../components/states.tsx';
import { type EnvironmentAnswer, useEnvironment } from './use-environment.ts';
import { VariableList } from './variables/variable-list.tsx';

/** The variables that the services of an environment share. */
export function EnvironmentVariables() {
  return <Loaded query={useEnvironment()}>{(environment) => <Shared environment={environment} />}</Loaded>;
}

function Shared({ environment: { id, name } }: { environment: EnvironmentAnswer }) {
  return (
    <VariableList
      whose={{ environmentId: id }}
      owner={name}
      title="Shared variables"
      about={
        <>
          Services refer to them as <code className="whitespace-nowrap">{'${{shared.KEY}}'}</code> in their own values.
          Changes are staged; deploying them deploys the services that use them, too.
        </>
      }
      empty="Put values here that several services need, such as a region or the address of a mail server."
    />
  );
}
