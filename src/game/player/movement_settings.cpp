#include "game/player/movement_settings.hpp"

namespace orbis::game {

packets::MovementSettings movement_settings(bool can_fly) {
    packets::MovementSettings settings;
    settings.mass = 68;
    settings.drag_coefficient = 0.5F;
    settings.velocity_resistance = 0.242F;
    settings.jump_force = 11.8F;
    settings.swim_jump_force = 10;
    settings.jump_buffer_duration = 0.3F;
    settings.jump_buffer_max_y_velocity = 3;
    settings.acceleration = 0.1F;
    settings.air_drag_min = 0.96F;
    settings.air_drag_max = 0.995F;
    settings.air_drag_min_speed = 6;
    settings.air_drag_max_speed = 10;
    settings.air_friction_min = 0.02F;
    settings.air_friction_max = 0.045F;
    settings.air_friction_min_speed = 6;
    settings.air_friction_max_speed = 10;
    settings.air_speed_multiplier = 1;
    settings.air_control_max_speed = 3;
    settings.air_control_max_multiplier = 3.13F;
    settings.combo_air_speed_multiplier = 1;
    settings.base_speed = 5.5F;
    settings.climb_speed = 0.035F;
    settings.climb_speed_lateral = 0.035F;
    settings.climb_up_sprint_speed = 0.05F;
    settings.climb_down_sprint_speed = 0.065F;
    settings.horizontal_fly_speed = 10.32F;
    settings.vertical_fly_speed = 10.32F;
    settings.max_speed_multiplier = 15;
    settings.min_speed_multiplier = 0.01F;
    settings.wish_direction_gravity_x = 0.5F;
    settings.wish_direction_gravity_y = 0.5F;
    settings.wish_direction_weight_x = 0.5F;
    settings.wish_direction_weight_y = 0.5F;
    settings.can_fly = can_fly;
    settings.collision_expulsion_force = 0.02F;
    settings.forward_walk_speed_multiplier = 0.3F;
    settings.backward_walk_speed_multiplier = 0.3F;
    settings.strafe_walk_speed_multiplier = 0.3F;
    settings.forward_run_speed_multiplier = 1;
    settings.backward_run_speed_multiplier = 0.65F;
    settings.strafe_run_speed_multiplier = 0.8F;
    settings.forward_crouch_speed_multiplier = 0.55F;
    settings.backward_crouch_speed_multiplier = 0.4F;
    settings.strafe_crouch_speed_multiplier = 0.45F;
    settings.forward_sprint_speed_multiplier = 1.273F;
    settings.variable_jump_fall_force = 35;
    settings.fall_jump_force = 7;
    settings.fall_momentum_loss = 0.1F;
    settings.auto_jump_obstacle_speed_loss = 0.95F;
    settings.auto_jump_obstacle_sprint_speed_loss = 0.75F;
    settings.auto_jump_obstacle_effect_duration = 0.2F;
    settings.auto_jump_obstacle_sprint_effect_duration = 0.1F;
    settings.auto_jump_obstacle_max_angle = 45;
    settings.auto_jump_disable_jumping = true;
    settings.min_slide_entry_speed = 6.99F;
    settings.slide_exit_speed = 2.5F;
    settings.min_fall_speed_to_engage_roll = 21;
    settings.max_fall_speed_to_engage_roll = 31;
    settings.roll_start_speed_modifier = 3.5F;
    settings.roll_exit_speed_modifier = 2.2F;
    settings.roll_time_to_complete = 0.2F;
    return settings;
}

} // namespace orbis::game
