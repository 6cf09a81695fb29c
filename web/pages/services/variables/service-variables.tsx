import { dialogAction } from '../../../components/actions/dialog-action.tsx';
import { Loaded } from '../../../components/states.tsx';
import { VariableList } from '../../environments/variables/variable-list.tsx';
import { type Placed, useService } from '../use-service.ts';
import { FileForm } from './file-form.tsx';
import { ServiceFiles } from './service-files.tsx';
import { useFiles } from './use-files.ts';

/** The variables of a service in an environment, and the files that are made of them. */
export function ServiceVariables() {
  return <Loaded query={useService()}>{(placed) => <Variables {...placed} />}</Loaded>;
}

function Variables({ service, environment }: Placed) {
  const whose = { environmentId: environment.id, serviceId: service.id };
  const files = useFiles({ service, environment });
  const stay = files.filter(({ staged }) => staged !== 'unset');
  const made = Map.groupBy(stay, ({ variable }) => variable);
  return (
    <>
      <VariableList
        whose={whose}
        owner={service.name}
        title="Variables"
        about="Given to each process as its environment. Changes are staged; they take effect when they are deployed."
        empty="Addresses, keys and switches that differ between environments belong here, not into the image."
        files={new Map([...made].map(([key, of]) => [key, of.map(({ path }) => path)]))}
        more={({ key }) => [
          dialogAction({
            role: 'deployer',
            label: 'Put into a file',
            title: `Put ${key} into a file`,
            content: (close) => <FileForm whose={whose} variable={key} onClose={close} />,
          }),
        ]}
      />
      <ServiceFiles whose={whose} owner={service.name} files={files} />
    </>
  );
}
