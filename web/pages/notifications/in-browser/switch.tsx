import { BellIcon, BellSlashIcon } from '@primer/octicons-react';
import { Button } from '../../../components/forms/button.tsx';
import { useAllowed, usePermission } from './allowed.ts';

/** Has this browser show notifications of its own. It asks for the permission by this press alone. */
export function InBrowserSwitch() {
  const allowed = useAllowed();
  const { allow, stop } = usePermission();
  if (allowed === 'absent') return null;
  if (allowed === 'blocked') {
    return (
      <p className="max-w-md text-pretty text-soft text-sm">
        This browser blocks notifications of this site. To be notified here, allow them in the settings of the site,
        which open beside its address.
      </p>
    );
  }
  const on = allowed === 'on';
  return (
    <div className="flex flex-wrap items-center justify-end gap-x-2 gap-y-1 max-sm:justify-start">
      {on && <span className="text-soft text-xs">On, while a tab of Ballast is open and none is in sight.</span>}
      <Button
        look="quiet"
        aria-pressed={on}
        icon={on ? <BellIcon size={14} /> : <BellSlashIcon size={14} />}
        onClick={() => (on ? stop() : void allow())}
      >
        Notify me in this browser
      </Button>
    </div>
  );
}
