/** What `selfsame/model` offers. Inside the project, files import each other directly. */
export {
  admit,
  admitRetraction,
  interactionOf,
  MAX_CONFIDENCE,
  NOTHING_SERVED,
  type Served,
  type Speaker,
  type Stamp,
} from './admission.ts'
export { type Belief, believe, type Element, probability } from './belief.ts'
export { compact } from './compaction.ts'
export {
  type Basis,
  type FieldDefinition,
  type Kind,
  type ModelDefinition,
  modelDefinition,
  type RoleDefinition,
} from './definition.ts'
export { formatDuration, parseDuration } from './duration.ts'
export { CODES, type Code, type Detail, type Refusal, type Result, SelfsameError, unwrap } from './error.ts'
export { compare, type Evidence, type Pack, type Part, type Retraction, type Sum, type Word } from './evidence.ts'
export { type AccessChange, type Evolution, evolve, type FieldChange, unfitUnder } from './evolution.ts'
export { type Explained, type Explanation, explain } from './explanation.ts'
export { type Field, possibilities } from './field.ts'
export type { FieldEvidence } from './field-evidence.ts'
export { type BudgetReport, STRATEGIES, type Strategy } from './handoff/budget.ts'
export { type Envelope, projected, type Section, VERSION, verifies } from './handoff/envelope.ts'
export { type Grant, may, type Permission } from './handoff/grant.ts'
export { type Checkpoint, type Handoff, holderOf, isOpen, STATES, type State } from './handoff/handoff.ts'
export type { Party, Target } from './handoff/party.ts'
export type { Agreement, Decision, Link, Note, Thread, Validation } from './handoff/piece.ts'
export { sha256 } from './handoff/sha256.ts'
export { type Act, elapse, step } from './handoff/step.ts'
export { triaged, type Work } from './handoff/work.ts'
export type { Definition, FieldOf, RoleOf, ValueOf } from './infer.ts'
export { type Interpretation, interpret } from './interpretation.ts'
export {
  type Observation,
  observationShape,
  parseObservation,
  parseRetraction,
  retractionShape,
} from './observation.ts'
export type { Alternative, Opinion, Status } from './opinion.ts'
export { type Coverage, Patterns } from './pattern.ts'
export { isPerson, type Role } from './role.ts'
export { desk } from './sample/desk.ts'
export { strictDesk } from './sample/strict-desk.ts'
export { defineModel, parseModel, Schema, type Settings } from './schema.ts'
export { type GrantedFields, type Scope, scopeOf } from './scope.ts'
export { SelfModel } from './self-model.ts'
export type { Standing } from './standing.ts'
export { addRecords, NO_RECORD, recordsOf, type TrackRecord, trustOf } from './trust.ts'
export { type Json, keyOf, MAX_VALUE_CHARS, MAX_VALUE_DEPTH } from './value.ts'
export { type Question, type View, view } from './view.ts'
export { type Columns, columnsOf, viewOf } from './wire/columns.ts'
export {
  type AnswerFrame,
  type ChangeFrame,
  CLOSE,
  type HelloFrame,
  type ItemOutcome,
  type Model,
  type ModelAnswer,
  type ObserveAnswer,
  type RefusalFrame,
  type ResyncFrame,
  type ServerFrame,
} from './wire/frame.ts'
export type {
  Delivery,
  Frame,
  HandoffDetails,
  HandoffSeen,
  OfferSeen,
  StaleMark,
  Verification,
} from './wire/handoff.ts'
export type { Alert, AlertKind, Quality, QualityAnswer, QualityPeriod, Tier } from './wire/quality.ts'
export { type FieldSeen, type SchemaSeen, schemaSeen } from './wire/schema-seen.ts'
