import type { BuildPlan, BuildProvider, BuildStep } from './build-plan.ts';
import type { DetectedBuild, Signal } from './detected-build.ts';

/** A way to build a folder, or the reason why there is none. The order says which of several is taken. */
export type Outcome =
  | ({ kind: 'started' | 'server' | 'site'; detected: DetectedBuild; plan: BuildPlan } & Further)
  | {
      kind: 'refused';
      provider: BuildProvider | '';
      message: string;
      signals: Signal[];
      monorepo?: boolean;
      choices?: readonly string[];
    };

/** The facts from which it follows what else may be run of an application. */
interface Further {
  /** Before a release goes live, of a framework with migrations, and the file that says it. */
  release?: { line: string; path: string } | undefined;
  /** A line of the Procfile as it is run in what was built; undefined where that lacks its program. Absent: as it stands. */
  asRun?: (line: string) => string | undefined;
}

export const nothingDetected: DetectedBuild = {
  provider: '',
  framework: '',
  packageManager: '',
  packageManagerPinned: '',
  nodeVersion: '',
  installCommand: '',
  buildCommand: '',
  startCommand: '',
  outputDir: '',
  port: 0,
  portSource: '',
  static: false,
  monorepo: false,
  buildable: false,
  signals: [],
  envTemplate: '',
  requiredVariables: [],
  proposed: [],
};

export interface Port {
  port: number;
  portSource: string;
}

interface Build extends Further {
  provider: BuildProvider;
  directory: string;
  toolchain: BuildPlan['toolchain'];
  steps: (BuildStep | undefined)[];
  drop: string[];
  environment: Record<string, string>;
  /** The folder in which the program is started, where that is not the directory. */
  startIn?: string;
  /** The text that people read; commands of the plan may say more. */
  told: Partial<DetectedBuild>;
}

/** A program that is started and listens. */
export function server(build: Build, start: string, port: Port, kind: 'started' | 'server' = 'server'): Outcome {
  const plan = planOf(build, { kind: 'image', keep: ['.'], start, port: port.port });
  const { release, asRun } = build;
  const detected = detectedOf(build, { startCommand: start, ...port });
  return { kind, detected, plan, release, ...(asRun === undefined ? {} : { asRun }) };
}

/** Files that are served. */
export function site(build: Build, outputDir: string): Outcome {
  const plan = planOf(build, { kind: 'static', keep: [outputDir], start: '', port: 0 });
  return { kind: 'site', detected: detectedOf(build, { outputDir, static: true }), plan };
}

export function refused(provider: BuildProvider | '', message: string, signals: Signal[] = []): Outcome {
  return { kind: 'refused', provider, message, signals };
}

function planOf(build: Build, end: Pick<BuildPlan, 'kind' | 'keep' | 'start' | 'port'>): BuildPlan {
  return {
    provider: build.provider,
    kind: end.kind,
    directory: build.directory,
    toolchain: build.toolchain,
    steps: build.steps.filter((step) => step !== undefined),
    keep: end.keep,
    drop: ['.git', ...build.drop],
    start: end.start,
    startIn: build.startIn ?? '',
    environment: build.environment,
    port: end.port,
    proposed: [],
  };
}

function detectedOf({ provider, told }: Build, end: Partial<DetectedBuild>): DetectedBuild {
  return { ...nothingDetected, provider, buildable: true, ...end, ...told };
}
