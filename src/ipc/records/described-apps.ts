// The answer to `describe` as it goes over the wire. Apps that one shell has started have the same environment, which stands there once.
import type { AppSpec } from '../../config/app-spec.ts';
import type { AppView } from '../views.ts';

type Environment = AppSpec['env'];

/** An app whose `spec.env` is an index into `environments`. */
type DescribedApp = Omit<AppView, 'spec'> & { spec: Omit<AppSpec, 'env'> & { env: number } };

export interface DescribedApps {
  environments: Environment[];
  apps: DescribedApp[];
}

/** Environments are the same if they are the same object. */
export function shareEnvironments(apps: readonly AppView[]): DescribedApps {
  const places = new Map<Environment, number>();
  const described = apps.map((app): DescribedApp => {
    const { env } = app.spec;
    if (!places.has(env)) places.set(env, places.size);
    return { ...app, spec: { ...app.spec, env: places.get(env)! } };
  });
  return { environments: [...places.keys()], apps: described };
}

/** Gives each app its environment back. Apps that had one in common still do. */
export function withEnvironments({ environments, apps }: DescribedApps): AppView[] {
  return apps.map((app) => ({ ...app, spec: { ...app.spec, env: environments[app.spec.env] ?? {} } }));
}
