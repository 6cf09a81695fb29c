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
          Services take them by reference: <code className="whitespace-nowrap">{'${{shared.KEY}}'}</code> in a value of
          theirs. Changes are staged; a deployment of them restarts the services that use them.
        </>
      }
      empty="Put values here that several services need, such as a region or the address of a mail server."
    />
  );
}
