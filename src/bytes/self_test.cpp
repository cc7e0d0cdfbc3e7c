#include "bytes/self.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>

namespace orbis {
namespace {

struct Counter {
    int calls = 0;
    Self<Counter> self{this};
};

TEST(Self, ACallbackFindsItsObjectUntilThatIsGone) {
    std::optional<Counter> counter(std::in_place);
    const std::function<bool()> call = [self = counter->self.ref()] {
        if (!self) return false;
        ++self->calls;
        return self.get() == &*self;
    };
    EXPECT_TRUE(call());
    const auto copy = call;
    EXPECT_TRUE(copy());
    EXPECT_EQ(counter->calls, 2);
    counter.reset();
    EXPECT_FALSE(call());
    EXPECT_FALSE(copy());
}

TEST(Self, MayEndBeforeItsObject) {
    Counter counter;
    const auto self = counter.self.ref();
    counter.self.end();
    EXPECT_FALSE(self);
    EXPECT_EQ(self.get(), nullptr);
    EXPECT_FALSE(counter.self.ref()) << "nor is it found by those who ask later";
}

} // namespace
} // namespace orbis
