// Imports of these files, which the build replaces.
declare module '*.css'
