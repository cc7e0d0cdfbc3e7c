#pragma once

#include "game/content/content_pack.hpp"
#include "support/pack_files.hpp"
#include "support/shared.hpp"

/// A small pack of assets for tests.
namespace orbis::game::test_pack {

namespace fs = std::filesystem;
using test::Files;
using test::write;
using test::write_zip;

/// Text that does not repeat, of any length.
inline std::string long_text(std::size_t length) {
    std::string text;
    for (std::uint32_t i = 0; text.size() < length; ++i) text += std::to_string(i * 2'654'435'761U) + ",";
    text.resize(length);
    return text;
}

inline const Files k_mod{
    {"Common/BlockTextures/My_Rock.png", "rock"},
    {"Common/BlockTextures/My_Rock_Top.png", "top"},
    {"Common/Icons/ItemsGenerated/My_Rock.png", "icon"},
    {"Common/Sounds/Same.ogg", "rock"},
    {"Common/Empty.txt", ""},
    {"Common/Music/Long.ogg", long_text(3 * ContentPack::k_part + 5)},
    {"Server/Item/Items/My_Rock.json",
     R"({"BlockType": {"Textures": [{"All": "BlockTextures/My_Rock.png", "Up": "BlockTextures/My_Rock_Top.png"}]}})"},
    {"Server/Item/Items/My_Mossy_Rock.json", R"({"Parent": "My_Rock", "BlockType": {"Group": "Stone"}})"},
    {"Server/Item/Block/Blocks/My_Lamp.json",
     R"({"DrawType": "Model", "CustomModel": "Blocks/L.blockymodel", "CustomModelTexture": [{"Texture": "Blocks/L.png"}]})"},
    {"Server/Environments/Env_My.json",
     R"({"WeatherForecasts": {"6": [{"WeatherId": "My_Sun", "Weight": 3}, {"WeatherId": "My_Rain", "Weight": 1}],
         "18": [{"WeatherId": "My_Night"}], "99": [{"WeatherId": "Never"}], "7": "wrong"}})"},
    {"Server/Environments/Env_Below.json", R"({"Parent": "Env_My"})"},
    {"Server/Weathers/My_Sun.json",
     R"json({"Parent": "My_Sky", "Stars": "Sky/Stars.png", "FogDistance": [10, 200],
         "SkyTopColors": [{"Hour": 0, "Color": "#123"}, {"Hour": 0, "Color": "rgba(#010203, 0.5)"},
                          {"Hour": 12, "Color": "#0a0b0c80"}, {"Hour": 13, "Color": "nonsense"},
                          {"Hour": 77, "Color": "#fff"}, 5]})json"},
    {"Server/Weathers/My_Sky.json", R"({"SunScales": [{"Hour": 6, "Value": 2.5}]})"},
    {"Server/Weathers/Broken.json", "{"},
    {"Server/Languages/en-US/server.lang", "# words\nitems.My_Rock.name = The Rock\r\nbroken line\n"},
};

inline Result<ContentPack> open(const fs::path& path, std::vector<Error>& problems, std::size_t threads = 3) {
    NoProgress silent;
    return ContentPack::open(path, silent, problems, threads);
}

inline ContentPack open(const fs::path& path) {
    std::vector<Error> problems;
    auto pack = open(path, problems);
    EXPECT_TRUE(pack) << pack.error().text();
    return *std::move(pack);
}

} // namespace orbis::game::test_pack
