import type { ReactNode } from 'react';

/** One setting: its name on the left, its value and a way to change it on the right. */
export function Setting({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-2.5 px-4 py-3.5">
      <div className="min-w-0 flex-1 basis-72">
        <h3 className="font-medium">{title}</h3>
        {about !== undefined && <p className="max-w-xl text-pretty text-soft text-sm">{about}</p>}
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 text-sm">{children}</div>
    </div>
  );
}

export function Settings({ children }: { children: ReactNode }) {
  return <div className="divide-y divide-line">{children}</div>;
}
