import { readdirSync, readFileSync } from 'node:fs';

const pageBytes = 4_096;

interface Task {
  parent: number;
  threads: number;
  pages: number;
}

/**
 * Memory and threads of a process and of all that descend from it. In a pid namespace nobody leaves the tree of its first
 * process. Memory that several of them share counts several times.
 */
export function treeOf(first: number): { memoryBytes: number; tasks: number } {
  const children = new Map<number, [number, Task][]>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const task = taskOf(pid);
    if (task === undefined) continue;
    const siblings = children.get(task.parent) ?? [];
    siblings.push([pid, task]);
    children.set(task.parent, siblings);
  }
  let [memoryBytes, tasks] = [0, 0];
  for (const waiting = [first]; waiting.length > 0; ) {
    for (const [pid, { threads, pages }] of children.get(waiting.pop() ?? 0) ?? []) {
      memoryBytes += pages * pageBytes;
      tasks += threads;
      waiting.push(pid);
    }
  }
  return { memoryBytes, tasks };
}

function taskOf(pid: number): Task | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1] ?? 0, threads: fields[17] ?? 1, pages: fields[21] ?? 0 };
  } catch {
    return undefined;
  }
}
