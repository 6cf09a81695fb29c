export interface Signal {
  /** The file that said it. */
  path: string;
  detail: string;
}

/** A command besides the start: `release`, which runs before a release goes live, or that of a further process by its name. */
export interface Proposal {
  name: string;
  /** As people write it. */
  line: string;
  /** As the image that was built has to be told it; empty as long as there is none. */
  command: string[];
}

/** The findings in a source, as the API answers them. Texts are '' where there is nothing to say. */
export interface DetectedBuild {
  /** node, python, go, rust, java, static, dockerfile; '' if nothing was recognised. */
  provider: string;
  framework: string;
  packageManager: string;
  /** The version that the source demands. */
  packageManagerPinned: string;
  nodeVersion: string;
  installCommand: string;
  buildCommand: string;
  startCommand: string;
  /** The folder that is served, or that holds what was built; relative to the directory of the plan. */
  outputDir: string;
  /** 0 if it is unknown. */
  port: number;
  /** script, dockerfile, procfile, source, environment, framework, default; '' without a port. */
  portSource: string;
  static: boolean;
  monorepo: boolean;
  buildable: boolean;
  signals: Signal[];
  /** The template of variables, such as .env.example. */
  envTemplate: string;
  /** Those that it asks for, and that neither it nor anything else of the source gives. */
  requiredVariables: string[];
  proposed: Proposal[];
}
