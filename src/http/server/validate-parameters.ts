import type { App } from '../app.ts'

/**
 * Validates the path parameters of a request after its caller is known and before anything else reads them: a hook that
 * looks something up by an id runs before the framework's own validation.
 */
export const validateParameters = (app: App): void => {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const validate = request.getValidationFunction('params')
    if (!validate || validate(request.params)) return done(null, payload)
    const { errors } = validate as { errors?: unknown }
    done(Object.assign(new Error('malformed path parameters'), { validation: errors, validationContext: 'params' }))
  })
}
