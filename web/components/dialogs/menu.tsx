import { Menu as BaseMenu } from '@base-ui/react/menu';
import { KebabHorizontalIcon } from '@primer/octicons-react';
import type { ReactElement, ReactNode } from 'react';
import { IconButton } from '../forms/button.tsx';
import { classes } from '../style.ts';

/** A menu of actions behind three dots or another trigger. */
export function Menu({
  label,
  trigger,
  align = 'end',
  openAtOnce = false,
  children,
}: {
  label: string;
  trigger?: ReactElement;
  align?: 'start' | 'end';
  /** Open from the first render: the trigger was clicked before this file was loaded. */
  openAtOnce?: boolean;
  children: ReactNode;
}) {
  return (
    <BaseMenu.Root defaultOpen={openAtOnce}>
      <BaseMenu.Trigger
        render={
          trigger ?? (
            <IconButton label={label}>
              <KebabHorizontalIcon />
            </IconButton>
          )
        }
        aria-label={label}
      />
      <BaseMenu.Portal>
        <BaseMenu.Positioner align={align} sideOffset={4} className="z-50 outline-none">
          <BaseMenu.Popup className={menuPopup}>{children}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

export const menuPopup =
  'max-h-(--available-height) min-w-44 max-w-72 overflow-y-auto rounded-lg bg-raised p-1 shadow-raised outline-none';

const item =
  'flex w-full cursor-pointer select-none items-center gap-2 rounded-md px-2.5 py-1.5 text-left text-sm outline-none data-[highlighted]:chosen data-[disabled]:opacity-50 max-sm:py-2.5';

export function MenuItem({
  onSelect,
  icon,
  danger = false,
  disabled,
  children,
}: {
  onSelect: () => void;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <BaseMenu.Item onClick={onSelect} disabled={disabled} className={classes(item, danger && 'text-fault')}>
      {icon !== undefined && <span className="text-faint">{icon}</span>}
      {children}
    </BaseMenu.Item>
  );
}

/** A group of options of which exactly one is chosen. */
export function MenuChoices<Value extends string>({
  label,
  value,
  onChange,
  choices,
}: {
  label?: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly { value: Value; label: ReactNode }[];
}) {
  return (
    <BaseMenu.RadioGroup value={value} onValueChange={(chosen: Value) => onChange(chosen)}>
      {label !== undefined && (
        <BaseMenu.GroupLabel className="px-2.5 py-1 font-medium text-faint text-xs">{label}</BaseMenu.GroupLabel>
      )}
      {choices.map((choice) => (
        <BaseMenu.RadioItem key={choice.value} value={choice.value} closeOnClick className={item}>
          <span className="min-w-0 flex-1">{choice.label}</span>
          <BaseMenu.RadioItemIndicator className="size-1.5 rounded-full bg-text" />
        </BaseMenu.RadioItem>
      ))}
    </BaseMenu.RadioGroup>
  );
}

export function MenuSeparator() {
  return <BaseMenu.Separator className="my-1 h-px bg-line" />;
}
